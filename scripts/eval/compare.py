"""Compares figures of agon-eval with those of other programs on random tables, and prints the largest deviations."""

import gc
import json
import math
import subprocess
import sys
import warnings

import choix
import krippendorff
import numpy as np
from scipy.stats import binomtest, norm, pearsonr, t
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

warnings.filterwarnings("ignore")
CLIP = 1e-6


def mcnemar_table(random):
    # Small and large tables, also without a pair that differs.
    most = int(random.choice([1, 10, 100, 2000]))
    b, c = (int(random.integers(0, most + 1)) for _ in range(2))
    result = mcnemar([[3, b], [c, 4]], exact=True).pvalue
    if b + c > 0:
        assert abs(binomtest(min(b, c), b + c).pvalue - result) < 1e-9 or b == c
    return {"mcnemar": [b, c]}, [min(result, 1.0)]


def wilson_table(random):
    n = int(random.choice([1, 10, 100, 10000]))
    hits = int(random.integers(0, n + 1))
    return {"wilson": [hits, n]}, list(proportion_confint(hits, n, alpha=0.05, method="wilson"))


def holm_table(random):
    p = random.random(int(random.integers(1, 30))) ** 4
    return {"holm": list(p)}, list(multipletests(p, method="holm")[1])


def scores_table(random):
    choices = int(random.integers(2, 6))
    items = []
    for _ in range(int(random.integers(1, 80))):
        p = random.dirichlet(np.full(choices, 0.5))
        if random.random() < 0.1:  # Sure, and perhaps wrong.
            p = np.eye(choices)[random.integers(choices)]
        items.append((list(p), int(random.integers(choices))))
    p = np.array([p for p, _ in items])
    gold = np.array([gold for _, gold in items])
    brier = ((p - np.eye(choices)[gold]) ** 2).sum(axis=1).mean()
    log = -np.log(np.maximum(p[np.arange(len(gold)), gold], CLIP)).mean()
    confidence, right = p.max(axis=1), p.argmax(axis=1) == gold
    bins = np.minimum((confidence * 10).astype(int), 9)
    error = sum(
        abs(confidence[bins == at].mean() - right[bins == at].mean()) * (bins == at).mean()
        for at in range(10)
        if (bins == at).any()
    )
    return {"scores": items}, [brier, log, error]


def alpha_table(random):
    while True:
        judges, units = int(random.integers(2, 6)), int(random.integers(2, 40))
        votes = random.integers(0, int(random.integers(2, 4)), (judges, units)).astype(float)
        # Judges that agree more or less, and miss some units.
        votes = np.where(random.random((judges, units)) < random.random(), votes[0], votes)
        votes[random.random((judges, units)) < 0.2] = np.nan
        units = [[int(v) for v in column if not np.isnan(v)] for column in votes.T]
        if len({v for unit in units if len(unit) > 1 for v in unit}) < 2:
            continue
        value = krippendorff.alpha(reliability_data=votes, level_of_measurement="nominal")
        return {"alpha": units}, [float(value)]


def bradley_terry_table(random):
    while True:
        count = int(random.integers(2, 8))
        strength = random.normal(0, 1, count)
        wins = np.zeros((count, count))
        data = []
        for _ in range(int(random.integers(10, 300))):
            a, b = random.choice(count, 2, replace=False)
            if random.random() > 1 / (1 + math.exp(strength[b] - strength[a])):
                a, b = b, a
            wins[a, b] += 1
            data.append((int(a), int(b)))
        # A maximum exists if everyone reaches everyone along wins.
        reach = np.linalg.matrix_power((wins > 0) + np.eye(count), count) > 0
        if not reach.all():
            continue
        fitted = choix.ilsr_pairwise(count, data, alpha=0.0, max_iter=100000, tol=1e-12)
        return {"bradley_terry": wins.tolist()}, list(fitted - fitted.mean())


def bootstrap_table(random):
    clusters = int(random.integers(2, 60))
    counts = random.integers(1, 6, clusters)
    sums = np.array([random.binomial(n, 0.7) - random.binomial(n, 0.6) for n in counts], dtype=float)
    drawn = random.integers(0, clusters, (200, clusters))
    values = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    table = {"bootstrap": [list(zip(sums, counts.astype(float))), drawn.tolist()]}
    tail = norm.sf(t.ppf(0.975, clusters - 1) * math.sqrt(clusters / (clusters - 1)))
    return table, list(np.quantile(values, [tail, 1 - tail]))


def effective_votes_table(random):
    judges, units = int(random.integers(2, 6)), int(random.integers(5, 60))
    common = random.normal(size=units)
    margins = random.random() * 2 * common + random.normal(size=(judges, units))
    heard = random.random((judges, units)) < 0.9
    heard[:, :4] = True
    correlations = []
    for a in range(judges):
        for b in range(a):
            both = heard[a] & heard[b]
            correlations.append(pearsonr(margins[a][both], margins[b][both])[0])
    mean = max(0.0, float(np.mean(correlations)))
    table = [{str(u): float(margins[j][u]) for u in range(units) if heard[j][u]} for j in range(judges)]
    return {"effective_votes": table}, [judges / (1 + (judges - 1) * mean)]


FIGURES = [
    ("exact McNemar p", "statsmodels, scipy", mcnemar_table, 1e-9),
    ("Wilson interval", "statsmodels", wilson_table, 1e-9),
    ("Holm", "statsmodels", holm_table, 1e-12),
    ("Brier, log score, calibration error", "numpy", scores_table, 1e-9),
    ("Krippendorff's alpha", "krippendorff", alpha_table, 1e-9),
    ("Bradley-Terry", "choix", bradley_terry_table, 1e-6),
    ("bootstrap interval, same resamples", "numpy, scipy", bootstrap_table, 1e-9),
    ("effective votes", "scipy", effective_votes_table, 1e-9),
]


def numbers(value):
    return [float(v) for v in value] if isinstance(value, list) else [float(value)]


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    # statsmodels collects garbage at every call; what is loaded by now is not worth looking at.
    gc.freeze()
    random = np.random.default_rng(1)
    asked, expected = [], []
    for name, _, table, _ in FIGURES:
        for _ in range(count):
            given, wanted = table(random)
            asked.append(json.dumps(given, default=float))
            expected.append((name, wanted))
    asked.append(json.dumps({"kish": [3, 0.569]}))
    run = subprocess.run([program], input="\n".join(asked) + "\n", capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(asked), f"{len(answers)} answers to {len(asked)} tables"
    worst = {name: 0.0 for name, *_ in FIGURES}
    for (name, wanted), answer, line in zip(expected, answers, asked):
        assert answer is not None, f"{name}: no figure for {line[:300]}"
        found = numbers(answer)
        assert len(found) == len(wanted), f"{name}: {found} for {wanted}"
        worst[name] = max([worst[name], *(abs(a - b) for a, b in zip(found, wanted))])
    failed = False
    print(f"{'figure':38} {'compared with':20} {'tables':>7} {'deviation':>10} {'allowed':>8}")
    for name, of, _, allowed in FIGURES:
        failed |= not worst[name] <= allowed
        print(f"{name:38} {of:20} {count:7} {worst[name]:10.1e} {allowed:8.0e}")
    votes = answers[-1]
    failed |= abs(votes - 1.40) > 0.005
    print(f"effective votes of three with mean margin correlation 0.569: {votes:.4f}, published 1.40")
    sys.exit("the figures differ" if failed else 0)


main()

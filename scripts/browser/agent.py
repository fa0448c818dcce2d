#!/usr/bin/env python3
"""Stands in for Claude Code in its headless mode: the events that it prints, with words of its own."""

import json
import random
import sys
import time

if "--version" in sys.argv:
    print("2.0.0 (stand-in)")
    sys.exit(0)
if "status" in sys.argv:
    sys.exit(0)
prompt = sys.stdin.read()
random.seed(prompt)
schema = json.loads(sys.argv[sys.argv.index("--json-schema") + 1]) if "--json-schema" in sys.argv else None


def words():
    some = random.sample("Sunday readers budget staff heat rooms lending habit quiet survey cost families".split(), 8)
    return f"The {some[0]} of last winter shows that {some[1]} and {some[2]} decide, and {some[3]} does not: " \
           f"{random.randint(100, 999)} of 1000 asked named {' and '.join(some[4:6])}."


def value(schema, at=0):
    if schema.get("enum"):
        return schema["enum"][at % len(schema["enum"])]
    kind = schema.get("type")
    if kind == "object":
        return {name: value(field, at) for name, field in schema["properties"].items()}
    if kind == "array":
        return [value(schema["items"], n) for n in range(schema.get("minItems", 0))]
    return 0 if kind in ("integer", "number") else False if kind == "boolean" else words()


answer = json.dumps(value(schema)) if schema else " ".join(words() for _ in range(4))
say = lambda event: print(json.dumps(event), flush=True)
say({"type": "system", "subtype": "init", "model": "stand-in", "tools": [], "session_id": "0"})
for at in range(0, len(answer), 40):
    delta = {"type": "text_delta", "text": answer[at:at + 40]}
    say({"type": "stream_event", "event": {"type": "content_block_delta", "index": 0, "delta": delta}})
    time.sleep(0.02)
say({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": answer}]}})
say({"type": "result", "subtype": "success", "is_error": False, "result": answer, "total_cost_usd": 0.001,
     "usage": {"input_tokens": len(prompt) // 4, "output_tokens": len(answer) // 4}})

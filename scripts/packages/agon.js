#!/usr/bin/env node
// Starts the program of agon for this platform. It lies in a package of its own, of which npm installs the one that fits.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const { constants } = require("node:os");
const path = require("node:path");
const tty = require("node:tty");
const { agon, homepage, name, optionalDependencies, version } = require("../package.json");

// The exit code of a shell for a command that it cannot start; agon itself does not have it.
const NOT_STARTED = 127;

// A terminal sends these to all programs that run in it.
const OF_TERMINAL = ["SIGINT", "SIGQUIT"];

function refuse(message) {
    fs.writeSync(2, `agon: ${message}\n`);
    process.exit(NOT_STARTED);
}

/** The version of glibc on this system; undefined if its C library is another one. */
function findGlibc() {
    process.report.excludeNetwork = true;
    return process.report.getReport().header.glibcVersionRuntime;
}

/** Whether one version is older than another. */
function isOlder(one, other) {
    const [major, minor] = one.split(".").map(Number);
    const [otherMajor, otherMinor] = other.split(".").map(Number);
    return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/** The path of the program. */
function findProgram() {
    const platform = `${process.platform}-${process.arch}`;
    const sources = `build agon from its sources (${homepage})`;
    if (!agon.platforms.includes(platform)) {
        refuse(`no package is made for ${platform}, only for ${agon.platforms.join(", ")}; ${sources}`);
    }
    const glibc = process.platform === "linux" ? findGlibc() : null;
    if (glibc === undefined) {
        refuse(`its program needs glibc, and this system has another C library, as Alpine does; ${sources}`);
    }
    const part = `${agon.scope}/${platform}`;
    let folder;
    try {
        folder = path.dirname(require.resolve(`${part}/package.json`));
    } catch {
        const remedy = optionalDependencies
            ? `install ${name} again, with optional packages (without --omit=optional and --no-optional)`
            : `install its file together with that of ${name}; scripts/dist makes both`;
        refuse(`its program, the package ${part} ${version}, is not installed; ${remedy}`);
    }
    const about = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
    if (about.version !== version) {
        refuse(`${name} is of version ${version}, and ${part} of ${about.version}; install both of one version`);
    }
    if (glibc && isOlder(glibc, about.agon.glibc)) {
        refuse(`its program needs glibc ${about.agon.glibc} or newer, and this system has ${glibc}; take a newer system, or ${sources}`);
    }
    return path.join(folder, "bin", process.platform === "win32" ? "agon.exe" : "agon");
}

const program = findProgram();
let child;

// This process lasts as long as the program, and passes on what is sent to it alone. It is ready for signals before the
// program runs.
const isInTerminal = [0, 1, 2].some((stream) => tty.isatty(stream));
for (const signal of ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"]) {
    process.on(signal, () => {
        if (!isInTerminal || !OF_TERMINAL.includes(signal)) child.kill(signal);
    });
}
child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => refuse(`${program} cannot be started: ${error.message}`));
child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
    if (signal) {
        // Ends as the program did, so that a shell sees why.
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
    }
});

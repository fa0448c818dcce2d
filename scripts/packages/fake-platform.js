// Loaded before the launcher by scripts/packages/check.py: another platform and another C library, as the environment names them.
"use strict";

const { FAKE_PLATFORM, FAKE_GLIBC } = process.env;
const [platform, arch] = FAKE_PLATFORM.split("-");
Object.defineProperty(process, "platform", { value: platform });
Object.defineProperty(process, "arch", { value: arch });
process.report.getReport = () => ({ header: FAKE_GLIBC ? { glibcVersionRuntime: FAKE_GLIBC } : {} });

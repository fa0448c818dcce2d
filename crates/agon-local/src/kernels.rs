//! Whether llama.cpp's kernels and this processor fit each other.
//!
//! Kernels are compiled for some instruction sets. A processor without one of them ends the process with an illegal
//! instruction, so it is asked first; a processor with more of them computes several times faster than it is let.
#![allow(unsafe_code)] // llama.cpp alone knows what it was compiled for.

use std::ffi::c_int;

use llama_cpp_sys_2 as llama;

/// How the kernels and this processor fit each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelSupport {
    /// The kernels use what matters of this processor.
    Full,
    /// The kernels leave these instruction sets unused, without which they are several times slower.
    Slow(Vec<&'static str>),
    /// The kernels need these instruction sets, which this processor does not have: no model can run.
    Unsupported(Vec<&'static str>),
}

struct InstructionSet {
    name: &'static str,
    /// The kernels use it.
    compiled: bool,
    /// This processor has it, and the system lets programs use it.
    present: bool,
    /// Kernels without it are several times slower.
    decisive: bool,
}

/// How the kernels fit this processor. Runs none of them.
pub fn support() -> KernelSupport {
    assess(&instruction_sets())
}

fn assess(sets: &[InstructionSet]) -> KernelSupport {
    let names = |wanted: fn(&InstructionSet) -> bool| -> Vec<&'static str> {
        sets.iter().filter(|set| wanted(set)).map(|set| set.name).collect()
    };
    let absent = names(|set| set.compiled && !set.present);
    let unused = names(|set| set.decisive && set.present && !set.compiled);
    match (absent.is_empty(), unused.is_empty()) {
        (false, _) => KernelSupport::Unsupported(absent),
        (true, false) => KernelSupport::Slow(unused),
        (true, true) => KernelSupport::Full,
    }
}

/// What llama.cpp says of one instruction set.
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
fn compiled(ask: unsafe extern "C" fn() -> c_int) -> bool {
    // SAFETY: each of these functions takes nothing, touches nothing and gives a constant.
    unsafe { ask() != 0 }
}

#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<InstructionSet> {
    macro_rules! set {
        ($name:literal, $feature:tt, $ask:ident, $decisive:literal) => {
            InstructionSet {
                name: $name,
                compiled: compiled(llama::$ask),
                present: std::arch::is_x86_feature_detected!($feature),
                decisive: $decisive,
            }
        };
    }
    vec![
        set!("AVX", "avx", ggml_cpu_has_avx, false),
        set!("AVX2", "avx2", ggml_cpu_has_avx2, true),
        set!("FMA", "fma", ggml_cpu_has_fma, true),
        set!("F16C", "f16c", ggml_cpu_has_f16c, true),
        set!("BMI2", "bmi2", ggml_cpu_has_bmi2, false),
        set!("AVX-VNNI", "avxvnni", ggml_cpu_has_avx_vnni, false),
        set!("AVX-512", "avx512f", ggml_cpu_has_avx512, false),
        set!("AVX-512 VBMI", "avx512vbmi", ggml_cpu_has_avx512_vbmi, false),
        set!("AVX-512 VNNI", "avx512vnni", ggml_cpu_has_avx512_vnni, false),
        set!("AVX-512 BF16", "avx512bf16", ggml_cpu_has_avx512_bf16, false),
    ]
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<InstructionSet> {
    macro_rules! set {
        ($name:literal, $feature:tt, $ask:ident, $decisive:literal) => {
            InstructionSet {
                name: $name,
                compiled: compiled(llama::$ask),
                present: std::arch::is_aarch64_feature_detected!($feature),
                decisive: $decisive,
            }
        };
    }
    vec![
        set!("dot product", "dotprod", ggml_cpu_has_dotprod, true),
        set!("I8MM", "i8mm", ggml_cpu_has_matmul_int8, false),
        set!("SVE", "sve", ggml_cpu_has_sve, false),
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<InstructionSet> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &'static str, compiled: bool, present: bool, decisive: bool) -> InstructionSet {
        InstructionSet { name, compiled, present, decisive }
    }

    #[test]
    fn a_processor_without_what_the_kernels_use_is_named_before_anything_else() {
        let sets = [set("A", true, false, true), set("B", false, true, true), set("C", true, false, false)];
        assert_eq!(assess(&sets), KernelSupport::Unsupported(vec!["A", "C"]));
    }

    #[test]
    fn kernels_are_slow_only_without_what_matters() {
        assert_eq!(assess(&[set("A", false, true, true)]), KernelSupport::Slow(vec!["A"]));
        assert_eq!(assess(&[set("A", false, true, false)]), KernelSupport::Full);
        assert_eq!(assess(&[set("A", false, false, true), set("B", true, true, true)]), KernelSupport::Full);
    }

    /// The tests run where they were compiled.
    #[test]
    fn this_build_runs_here() {
        assert!(!matches!(support(), KernelSupport::Unsupported(_)), "{:?}", support());
    }
}

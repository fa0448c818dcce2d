# What agon needs of llama.cpp. Its project() reads this file, because .cargo/config.toml names it.

# The helpers of its example programs are not used here, and take two fifths of its build.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)

# Kernels for x86 with AVX2, unless the environment says GGML_AVX2=OFF and so on. That is llama.cpp's own choice
# too, but for reproducible builds (SOURCE_DATE_EPOCH), where it would leave them out.
foreach(set SSE42 AVX AVX2 BMI2 FMA F16C)
    set(GGML_${set} ON CACHE BOOL "")
endforeach()

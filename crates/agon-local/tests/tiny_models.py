#!/usr/bin/env python3
"""Writes a tiny model with random weights for each architecture whose loading is tested.

    pip install gguf numpy
    python3 crates/agon-local/tests/tiny_models.py DIR

DIR then holds tiny-ARCHITECTURE.gguf, each below 3 MB. They say nothing of sense: what they test is that the engine
loads the architecture, renders its kind of chat template, and generates, also by a schema.
"""

import sys
from pathlib import Path

import gguf
import numpy as np

EMBED, HEADS, KV_HEADS, HEAD, FEED, LAYERS, CONTEXT = 64, 4, 2, 16, 96, 4, 2048

# Templates as these models bring them, reduced to what differs: how they take instructions and thinking.
CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}"
)
TEMPLATES = {
    "llama": CHATML + "{% endif %}",
    "qwen3": CHATML
    + "{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}"
    "{% endif %}",
    "smollm3": "{%- if enable_thinking is not defined -%}{%- set enable_thinking = true -%}{%- endif -%}"
    "{%- set mode = '/think' if enable_thinking else '/no_think' -%}"
    "{{ '<|im_start|>system\\nToday: ' + strftime_now('%d %B %Y') + '\\nReasoning Mode: ' + mode + '\\n\\n' }}"
    "{%- if messages[0].role == 'system' -%}{{ messages[0].content.rstrip() }}{%- set messages = messages[1:] -%}"
    "{%- endif -%}{{ '<|im_end|>\\n' }}"
    "{%- for message in messages -%}{%- if message.role == 'assistant' -%}{%- generation -%}"
    "{{ '<|im_start|>assistant\\n' + message.content + '<|im_end|>\\n' }}{%- endgeneration -%}{%- else -%}"
    "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}",
    "granitehybrid": "{%- set system = namespace(text='') -%}{%- if messages[0].role == 'system' -%}"
    "{%- set system.text = messages[0].content -%}{%- set loop_messages = messages[1:] -%}{%- else -%}"
    "{%- set loop_messages = messages -%}{%- endif -%}"
    "{{ '<|im_start|>system\\n' + system.text + '<|im_end|>\\n' }}"
    "{%- for message in loop_messages -%}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor -%}{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}",
    # It knows no instructions, and says so with an error.
    "gemma": "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant') }}{% endif %}"
    "{% set role = 'model' if message['role'] == 'assistant' else message['role'] %}"
    "{{ '<|im_start|>' + role + '\\n' + message['content'] | trim + '<|im_end|>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>model\\n' }}{% endif %}",
}


def byte_letters():
    """The letter that stands for each byte in a vocabulary of GPT-2's kind."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain}
    letters.update({byte: chr(256 + at) for at, byte in enumerate(others)})
    return [letters[byte] for byte in range(256)]


def vocabulary(writer):
    tokens = byte_letters() + ["th", "he", "<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    types = [gguf.TokenType.NORMAL] * 258 + [gguf.TokenType.CONTROL] * 3
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(["t h", "h e"])
    writer.add_bos_token_id(260)
    writer.add_eos_token_id(259)
    writer.add_add_bos_token(False)
    return len(tokens)


def attention(add, at, norms):
    add(f"blk.{at}.attn_q.weight", HEADS * HEAD, EMBED)
    add(f"blk.{at}.attn_k.weight", KV_HEADS * HEAD, EMBED)
    add(f"blk.{at}.attn_v.weight", KV_HEADS * HEAD, EMBED)
    add(f"blk.{at}.attn_output.weight", EMBED, HEADS * HEAD)
    if norms:
        add(f"blk.{at}.attn_q_norm.weight", HEAD)
        add(f"blk.{at}.attn_k_norm.weight", HEAD)


def feed_forward(add, at):
    add(f"blk.{at}.ffn_gate.weight", FEED, EMBED)
    add(f"blk.{at}.ffn_up.weight", FEED, EMBED)
    add(f"blk.{at}.ffn_down.weight", EMBED, FEED)


def mixture(add, at, experts):
    """A mixture of experts beside a shared one, as Granite's."""
    add(f"blk.{at}.ffn_gate_inp.weight", experts, EMBED)
    add(f"blk.{at}.ffn_gate_exps.weight", experts, FEED, EMBED)
    add(f"blk.{at}.ffn_up_exps.weight", experts, FEED, EMBED)
    add(f"blk.{at}.ffn_down_exps.weight", experts, EMBED, FEED)
    for part, shape in [("gate", (FEED, EMBED)), ("up", (FEED, EMBED)), ("down", (EMBED, FEED))]:
        add(f"blk.{at}.ffn_{part}_shexp.weight", *shape)


def recurrent(add, at, inner, state, groups, heads, kernel):
    """A layer of Mamba 2."""
    mixed = inner + 2 * groups * state
    add(f"blk.{at}.ssm_in.weight", inner + mixed + heads, EMBED)
    add(f"blk.{at}.ssm_conv1d.weight", mixed, kernel)
    add(f"blk.{at}.ssm_conv1d.bias", mixed)
    add(f"blk.{at}.ssm_dt.bias", heads)
    add(f"blk.{at}.ssm_a", heads, 1, negative=True)
    add(f"blk.{at}.ssm_d", heads, 1)
    add(f"blk.{at}.ssm_norm.weight", groups, inner // groups)
    add(f"blk.{at}.ssm_out.weight", EMBED, inner)


def write(architecture, path):
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, architecture)

    def add(name, *shape, negative=False):
        weights = random.normal(0, 0.05, shape).astype(np.float32)
        if "norm" in name:
            weights = np.ones(shape, np.float32)
        writer.add_tensor(name, -np.abs(weights) - np.float32(0.1) if negative else weights)

    writer.add_name(f"tiny {architecture}")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBED)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(HEAD)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    size = vocabulary(writer)
    writer.add_vocab_size(size)
    writer.add_chat_template(TEMPLATES[architecture])
    add("token_embd.weight", size, EMBED)
    add("output_norm.weight", EMBED)
    # Gemma's output is its input, reversed.
    if architecture != "gemma":
        add("output.weight", size, EMBED)

    hybrid = architecture == "granitehybrid"
    # Three layers of its recurrence for one of attention.
    attends = [not hybrid or at == LAYERS - 1 for at in range(LAYERS)]
    writer.add_head_count_kv([KV_HEADS if one else 0 for one in attends] if hybrid else KV_HEADS)
    inner, state, groups, heads, kernel, experts = 2 * EMBED, 16, 1, 8, 4, 4
    if hybrid:
        writer.add_ssm_conv_kernel(kernel)
        writer.add_ssm_inner_size(inner)
        writer.add_ssm_state_size(state)
        writer.add_ssm_time_step_rank(heads)
        writer.add_ssm_group_count(groups)
        writer.add_expert_count(experts)
        writer.add_expert_used_count(2)
        writer.add_expert_shared_feed_forward_length(FEED)
        writer.add_expert_feed_forward_length(FEED)
    for at in range(LAYERS):
        add(f"blk.{at}.attn_norm.weight", EMBED)
        if attends[at]:
            attention(add, at, norms=architecture == "qwen3")
        else:
            recurrent(add, at, inner, state, groups, heads, kernel)
        add(f"blk.{at}.ffn_norm.weight", EMBED)
        if hybrid:
            mixture(add, at, experts)
        else:
            feed_forward(add, at)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for architecture in TEMPLATES:
        path = folder / f"tiny-{architecture}.gguf"
        write(architecture, path)
        print(path, path.stat().st_size)


main()

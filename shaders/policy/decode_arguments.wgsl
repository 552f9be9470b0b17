// Part of decode_layer.wgsl: what it is given, and where it keeps what it works out.

override HEADS: u32 = 4;
override KV_HEADS: u32 = 4;
override HEAD_DIM4: u32 = 4;

// No previous token, or no smear.
const NONE = 0xffffffffu;

struct Params {
  rowBase: u32,
  countIndex: u32,
  // Whether the rows are embedded first
  embedded: u32,
  // How many of the matrices are done
  matrices: u32,
  // Rows that a part of `activations` has room for
  capacity: u32,
  dim4: u32,
  ff4: u32,
  logits4: u32,
  // Where in the parameters embedding, norms and matrices start, in vec4f; smear may be NONE
  embedOffset4: u32,
  smearOffset4: u32,
  attnNormOffset4: u32,
  projectionOffset4: u32,
  outputOffset4: u32,
  ffNormOffset4: u32,
  gateOffset4: u32,
  downOffset4: u32,
  normOffset4: u32,
  epsilon: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
// [rows] token, previous token (NONE at position 0), position, first cache row of the sequence
@group(0) @binding(2) var<storage, read> rows: array<vec4u>;
@group(0) @binding(3) var<storage, read> parameters: array<vec4f>;
// What is kept from matrix to matrix; its parts are below
@group(0) @binding(4) var<storage, read_write> activations: array<vec4f>;
// [rows, 4 logits4]
@group(0) @binding(5) var<storage, read_write> logits: array<vec4f>;
// [context, 2, headDim / 4]: cosines, then sines with their sign, one for each dimension
@group(0) @binding(6) var<storage, read> rotation: array<vec4f>;
// [cache rows, kvHeads headDim]
@group(0) @binding(7) var<storage, read_write> keys: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> values: array<vec4f>;

// The parts of `activations`, in their order:
const STREAM = 0u; // [capacity, dim] residual stream
const MIDDLE = 1u; // [capacity, dim] the same after attention
const INPUT = 2u; // [capacity, dim] what is multiplied next
const ACTIVATED = 3u; // [capacity, ff] what the gate lets through
const PROJECTED = 4u; // [capacity, (heads + 2 kvHeads) headDim] queries, keys and values

// Where a row of a part starts, in vec4f; `width4` is the part's own.
fn place(part: u32, row: u32, width4: u32) -> u32 {
  let before = min(part, ACTIVATED) * params.dim4 + select(0u, params.ff4, part == PROJECTED);
  return params.capacity * before + row * width4;
}

import {
  logitStride,
  type ParameterLayout,
  type PolicyConfiguration,
  parameterLayout,
  projectedDim,
} from '../../policy/weights.ts';
import type { Arena } from './space.ts';

/** Matrix of a layer. `projection` joins queries, keys and values; `gateUp` joins gate and up. */
export type LayerMatrix = 'projection' | 'o' | 'gateUp' | 'down';

/** First tensor of each matrix in the layout. */
const FIRST_TENSOR: Readonly<Record<LayerMatrix, string>> = { projection: 'q', o: 'o', gateUp: 'gate', down: 'down' };

/** Parameters of a network in the memory of the kernels: flat, and as transposed matrices for the forward products. */
export class Parameters {
  readonly layout: ParameterLayout;
  readonly flat: number;
  private readonly transposed: number;
  private readonly shapes: readonly (readonly [LayerMatrix, out: number, inputs: number])[];

  constructor(
    private readonly arena: Arena,
    private readonly config: PolicyConfiguration,
  ) {
    const { dim, ffDim } = config;
    this.layout = parameterLayout(config);
    this.shapes = [
      ['projection', projectedDim(config), dim],
      ['o', dim, dim],
      ['gateUp', 2 * ffDim, dim],
      ['down', dim, ffDim],
    ];
    this.flat = arena.allocate(this.layout.size);
    this.transposed = arena.allocate(this.transposedLength);
  }

  /** Writes the parameters. @param values [layout.size] or more */
  write(values: Float32Array): void {
    this.arena.write(this.flat, values.subarray(0, this.layout.size));
    this.changed();
  }

  /** Returns a view of the parameters. It is valid until memory is allocated. */
  view(): Float32Array<ArrayBuffer> {
    return this.arena.view(this.flat, this.layout.size);
  }

  read(): Float32Array<ArrayBuffer> {
    return this.arena.read(this.flat, this.layout.size);
  }

  /** Transposes the matrices. Call it after each change of the parameters. */
  changed(): void {
    const { kernels } = this.arena;
    const { dim, vocab, layers } = this.config;
    kernels.transpose(this.at('embed'), vocab, dim, this.transposed, 4 * logitStride(this.config));
    for (let layer = 0; layer < layers; layer++) {
      for (const [name, out, inputs] of this.shapes) {
        kernels.transpose(this.matrix(layer, name), out, inputs, this.transposedMatrix(layer, name), 4 * out);
      }
    }
  }

  /**
   * Returns the address of a tensor, or 0 if the network has no such tensor (smear or value head).
   * @param flat address of a copy with the same layout
   */
  at(name: string, flat = this.flat): number {
    const { smear, valueHead } = this.config;
    if ((name === 'smear' && !smear) || (name === 'valueHead' && !valueHead)) return 0;
    return flat + 4 * this.layout.at(name).offset;
  }

  /** Returns the address of a vector of a layer. */
  vector(layer: number, name: 'attnNorm' | 'ffNorm', flat = this.flat): number {
    return this.at(`layers.${layer}.${name}`, flat);
  }

  /** Returns the address of a matrix [out, inputs]. */
  matrix(layer: number, name: LayerMatrix, flat = this.flat): number {
    return this.at(`layers.${layer}.${FIRST_TENSOR[name]}`, flat);
  }

  /** Address of the transposed embedding [dim, logitStride]. */
  get transposedEmbedding(): number {
    return this.transposed;
  }

  /** Returns the address of a transposed matrix [inputs, out]. */
  transposedMatrix(layer: number, name: LayerMatrix): number {
    let offset = logitStride(this.config) * this.config.dim + layer * this.layerLength;
    for (const [shape, out, inputs] of this.shapes) {
      if (shape === name) break;
      offset += out * inputs;
    }
    return this.transposed + 4 * offset;
  }

  destroy(): void {
    this.arena.release(this.flat, this.layout.size);
    this.arena.release(this.transposed, this.transposedLength);
  }

  private get layerLength(): number {
    return this.shapes.reduce((sum, [, out, inputs]) => sum + out * inputs, 0);
  }

  private get transposedLength(): number {
    return logitStride(this.config) * this.config.dim + this.config.layers * this.layerLength;
  }
}

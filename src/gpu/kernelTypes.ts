// Written by `npm run kernels` from the shaders. A test fails if the two differ.
// biome-ignore-all format: a kernel takes two lines, however many bindings it has
import type { DeclaredWorkgroup } from './shaderLibrary.ts';

/** An array that a kernel only reads, and one that it writes as well, by its element. */
interface Read<Element extends string> { readonly access: 'read'; readonly element: Element }
interface Write<Element extends string> { readonly access: 'read_write'; readonly element: Element }

/** Storage bindings by name, names of the fields of `Params`, names of the `override` constants. */
interface Declared<Bindings, Uniforms extends string = never, Constants extends string = never> {
  readonly bindings: Bindings;
  readonly uniforms: Uniforms;
  readonly constants: Constants;
}

/** Bindings, uniforms and constants of each kernel, by its path below `shaders/`. */
export interface KernelTypes {
  readonly 'credit/absent_levels': Declared<{ levelOffset: Read<'u32'>; memberOffset: Read<'u32'>; member: Read<'u32'>; trajectoryOffset: Read<'u32'>; value: Read<'f32'>; turnAdvantage: Write<'f32'>; absentAdvantage: Write<'f32'> },
    'count' | 'ddof' | 'epsilon' | 'scaleByStd' | 'rawSingleton'>;
  readonly 'credit/absent_outcome': Declared<{ turnOffset: Read<'u32'>; trajectoryLevels: Read<'vec2u'>; absentAdvantage: Read<'f32'>; outcomeAdvantage: Write<'f32'> },
    'count' | 'alpha'>;
  readonly 'credit/active_baseline': Declared<{ listOffset: Read<'u32'>; listTurn: Read<'u32'>; rollouts: Read<'u32'>; advantage: Write<'f32'> },
    'count'>;
  readonly 'credit/batch_normalize': Declared<{ members: Read<'u32'>; advantage: Write<'f32'> },
    'count' | 'turns' | 'epsilon'>;
  readonly 'credit/discounted_returns': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; reward: Read<'f32'>; validates: Read<'f32'>; finalReward: Read<'f32'>; stepReturn: Write<'f32'>; episodeReturn: Write<'f32'> },
    'count' | 'gamma' | 'bonus'>;
  readonly 'credit/edge_advantage': Declared<{ edgeValue: Read<'f32'>; stateValue: Read<'f32'>; advantage: Write<'f32'> },
    'count' | 'tie'>;
  readonly 'credit/first_turn_broadcast': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; advantage: Write<'f32'> },
    'count'>;
  readonly 'credit/gae': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; tokenOffset: Read<'u32'>; reward: Read<'f32'>; outcome: Read<'f32'>; tokenValue: Read<'f32'>; tokenAdvantage: Write<'f32'>; tokenReturn: Write<'f32'> },
    'count' | 'gamma' | 'lambda' | 'turnRewards' | 'merged' | 'turnSteps'>;
  readonly 'credit/group_scale': Declared<{ groupOffset: Read<'u32'>; advantage: Write<'f32'> },
    'count' | 'epsilon', 'LANES' | 'SERIAL'>;
  readonly 'credit/prefix_value': Declared<{ prefixOffset: Read<'u32'>; prefixMember: Read<'u32'>; trajectory: Read<'u32'>; normalized: Read<'f32'>; prefixValue: Write<'f32'> },
    'count'>;
  readonly 'credit/progress_smear': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; reward: Read<'f32'>; weight: Read<'f32'>; outcome: Read<'f32'>; progress: Write<'f32'>; centred: Write<'f32'>; shapedReturn: Write<'f32'> },
    'count' | 'gamma' | 'differences' | 'fromZero'>;
  readonly 'credit/retain_turns': Declared<{ anchor: Read<'u32'>; responseGroup: Read<'u32'>; retainedTurn: Read<'u32'>; retainedGroup: Read<'u32'>; retained: Write<'u32'>; advantage: Write<'f32'> },
    'count' | 'intra' | 'inter'>;
  readonly 'credit/segmented_normalize': Declared<{ segmentOffset: Read<'u32'>; segmentMember: Read<'u32'>; value: Read<'f32'>; retained: Read<'u32'>; magnitude: Read<'f32'>; rollouts: Read<'u32'>; normalized: Write<'f32'> },
    'count' | 'ddof' | 'epsilon' | 'scaleByStd' | 'rawSingleton' | 'tie' | 'leaveOneOut' | 'masked' | 'partial', 'LANES' | 'SERIAL'>;
  readonly 'credit/segmented_softmax': Declared<{ segmentOffset: Read<'u32'>; segmentMember: Read<'u32'>; score: Read<'f32'>; weight: Write<'f32'> },
    'count' | 'factor', 'LANES' | 'SERIAL'>;
  readonly 'credit/select_largest': Declared<{ listOffset: Read<'u32'>; listMember: Read<'u32'>; score: Read<'vec2u'>; above: Read<'u32'>; retainedFlags: Write<'u32'> },
    'count' | 'first' | 'limit', 'LANES' | 'SERIAL' | 'NO_LIST'>;
  readonly 'credit/signature_runs': Declared<{ groupOf: Read<'u32'>; state: Read<'vec2u'>; action: Read<'vec2u'>; order: Read<'u32'>; runOffset: Write<'u32'> },
    'count' | 'byAction'>;
  readonly 'credit/signature_sort': Declared<{ groupOffset: Read<'u32'>; groupOf: Read<'u32'>; turn: Read<'u32'>; state: Read<'vec2u'>; action: Read<'vec2u'>; order: Write<'u32'>; spare: Write<'u32'> },
    'count' | 'level'>;
  readonly 'credit/start_backup': Declared<{ reward: Read<'f32'>; retained: Write<'u32'>; backedUp: Write<'f32'>; magnitude: Write<'f32'> },
    'count'>;
  readonly 'credit/success_ratio': Declared<{ trajectoryOffset: Read<'u32'>; trajectory: Read<'u32'>; outcome: Read<'f32'>; ratio: Write<'f32'> },
    'count' | 'epsilon'>;
  readonly 'credit/test_rewards': Declared<{ testOffset: Read<'u32'>; turnOffset: Read<'u32'>; resultOffset: Read<'u32'>; passed: Read<'u32'>; weight: Read<'f32'>; turnReward: Write<'f32'>; solved: Write<'u32'> },
    'count', 'WIDTH' | 'MAX_TESTS'>;
  readonly 'credit/test_weights': Declared<{ testOffset: Read<'u32'>; turnOffset: Read<'u32'>; resultOffset: Read<'u32'>; passed: Read<'u32'>; passRate: Write<'f32'>; weight: Write<'f32'>; bandwidth: Write<'f32'> },
    'count' | 'alpha' | 'bandwidth' | 'weighting', 'WIDTH' | 'MAX_TESTS' | 'LEAST_BANDWIDTH' | 'DENSITY_EPSILON' | 'PASS_RATE' | 'FAILURE_RATE' | 'DIFFICULTY' | 'DIFFICULTY_DENSITY'>;
  readonly 'credit/trajectory_broadcast': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; value: Read<'f32'>; advantage: Write<'f32'> },
    'count'>;
  readonly 'credit/trajectory_returns': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; reward: Read<'f32'>; outcome: Read<'f32'>; mergedReturn: Write<'f32'> },
    'count'>;
  readonly 'credit/trajectory_success': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; solved: Read<'u32'>; trajectoryReward: Write<'f32'> },
    'count' | 'decay'>;
  readonly 'credit/trajectory_turn_sum': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; trajectoryAdvantage: Read<'f32'>; turnAdvantage: Read<'f32'>; advantage: Write<'f32'> },
    'count' | 'trajectoryWeight' | 'turnWeight'>;
  readonly 'credit/tree_backup': Declared<{ childOffset: Read<'u32'>; child: Read<'u32'>; parent: Read<'u32'>; deepest: Read<'u32'>; retained: Read<'u32'>; backedUp: Write<'f32'>; magnitude: Write<'f32'> },
    'count' | 'level' | 'first' | 'mean' | 'gamma' | 'components' | 'maxTurns', 'LANES' | 'SERIAL'>;
  readonly 'credit/tree_combine': Declared<{ levelTurn: Read<'u32'>; childOffset: Read<'u32'>; child: Read<'u32'>; turnAdvantage: Read<'f32'>; outcomeAdvantage: Read<'f32'>; advantage: Write<'f32'> },
    'count' | 'level' | 'first' | 'alpha' | 'lastCompared'>;
  readonly 'credit/turn_aware_returns': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; tokenOffset: Read<'u32'>; reward: Read<'f32'>; outcome: Read<'f32'>; tokenValue: Read<'f32'>; tokenAdvantage: Write<'f32'>; tokenReturn: Write<'f32'> },
    'count' | 'absolute' | 'improvement' | 'verification'>;
  readonly 'credit/turn_combine': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; turnAdvantage: Read<'f32'>; outcomeAdvantage: Read<'f32'>; advantage: Write<'f32'> },
    'count' | 'alpha'>;
  readonly 'credit/turn_token_mean': Declared<{ tokenOffset: Read<'u32'>; tokenAdvantage: Read<'f32'>; advantage: Write<'f32'> },
    'count'>;
  readonly 'credit/value_difference': Declared<{ turnOffset: Read<'u32'>; turn: Read<'u32'>; finalValue: Read<'f32'>; value: Read<'f32'>; advantage: Write<'f32'> },
    'count' | 'share' | 'gamma'>;
  readonly 'credit/visit_statistics': Declared<{ runOffset: Read<'u32'>; edgeOffset: Read<'u32'>; order: Read<'u32'>; trajectory: Read<'u32'>; value: Read<'f32'>; prior: Read<'f32'>; mean: Write<'f32'>; visits: Write<'u32'> },
    'count' | 'kappa' | 'counted'>;
  readonly 'credit/weighted_backup': Declared<{ childOffset: Read<'u32'>; child: Read<'u32'>; parent: Read<'u32'>; weight: Read<'f32'>; advantage: Write<'f32'> },
    'count' | 'level' | 'first', 'LANES' | 'SERIAL'>;
  readonly 'objective/clipped_surrogate': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; weights: Read<'f32'>; distribution: Read<'vec4f'>; recorded: Read<'vec4f'>; advantage: Read<'f32'>; lossGradient: Write<'vec4f'>; terms: Write<'vec4f'> },
    'targetBase' | 'countIndex' | 'clipLow' | 'clipHigh' | 'klCoef' | 'entropyCoef' | 'valueCoef' | 'valueClip' | 'sharedRatios'>;
  readonly 'objective/cross_entropy': Declared<{ counts: Read<'u32'>; weights: Read<'f32'>; distribution: Read<'vec4f'>; lossGradient: Write<'vec4f'>; terms: Write<'vec4f'> },
    'targetBase' | 'countIndex'>;
  readonly 'objective/normalize_tokens': Declared<{ tokenReturn: Read<'f32'>; tokenAdvantage: Write<'f32'>; report: Write<'f32'> },
    'count' | 'epsilon' | 'reportOffset', 'LANES'>;
  readonly 'objective/preference_loss': Declared<{ counts: Read<'u32'>; weights: Read<'f32'>; distribution: Read<'vec4f'>; lossGradient: Write<'vec4f'>; terms: Write<'vec4f'> },
    'targetBase' | 'countIndex'>;
  readonly 'objective/record_reference': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; distribution: Read<'vec4f'>; recorded: Write<'vec4f'>; terms: Write<'vec4f'> },
    'targetBase' | 'countIndex'>;
  readonly 'objective/record_values': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; distribution: Read<'vec4f'>; tokenValue: Write<'f32'> },
    'targetBase' | 'countIndex'>;
  readonly 'objective/report': Declared<{ counts: Read<'u32'>; terms: Read<'vec4f'>; report: Write<'f32'> },
    'countIndex' | 'reportOffset', 'LANES'>;
  readonly 'objective/share_ratios': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; sharers: Read<'u32'>; distribution: Read<'vec4f'>; recorded: Read<'vec4f'>; lossGradient: Write<'vec4f'> },
    'targetBase' | 'countIndex'>;
  readonly 'objective/value_loss': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; weights: Read<'f32'>; distribution: Read<'vec4f'>; tokenValue: Read<'f32'>; tokenReturn: Read<'f32'>; lossGradient: Write<'vec4f'>; terms: Write<'vec4f'> },
    'targetBase' | 'countIndex' | 'valueClip'>;
  readonly 'policy/adamw': Declared<{ gradient: Read<'vec4f'>; norm: Read<'f32'>; health: Read<'u32'>; decayed: Read<'f32'>; firstMoment: Write<'vec4f'>; secondMoment: Write<'vec4f'>; parameters: Write<'vec4f'> },
    'parameters4' | 'learningRate' | 'beta1' | 'beta2' | 'epsilon' | 'weightDecay' | 'correction1' | 'correction2'>;
  readonly 'policy/attention': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; projected: Read<'vec4f'>; keys: Read<'vec4f'>; values: Read<'vec4f'>; attended: Write<'vec4f'>; softmaxState: Write<'vec2f'>; targets: Read<'vec4u'> },
    'rowBase' | 'targetBase' | 'countIndex' | 'ofTargets', 'HEADS' | 'KV_HEADS' | 'HEAD_DIM4'>;
  readonly 'policy/attention_backward_key_value': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; projected: Read<'vec4f'>; keys: Read<'vec4f'>; values: Read<'vec4f'>; attendedGradient: Read<'vec4f'>; softmaxState: Read<'vec2f'>; projectedGradient: Write<'vec4f'> },
    'rowBase' | 'countIndex', 'HEADS' | 'KV_HEADS' | 'HEAD_DIM4'>;
  readonly 'policy/attention_backward_query': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; projected: Read<'vec4f'>; keys: Read<'vec4f'>; values: Read<'vec4f'>; attendedGradient: Read<'vec4f'>; softmaxState: Write<'vec2f'>; projectedGradient: Write<'vec4f'> },
    'rowBase' | 'countIndex', 'HEADS' | 'KV_HEADS' | 'HEAD_DIM4'>;
  readonly 'policy/embed': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; parameters: Read<'vec4f'>; hidden: Write<'vec4f'> },
    'rowBase' | 'countIndex' | 'dim4' | 'embedOffset4' | 'smearOffset4', 'SMEAR'>;
  readonly 'policy/embed_backward': Declared<{ rowsOfToken: Read<'u32'>; parameters: Read<'vec4f'>; hiddenGradient: Read<'vec4f'>; partial: Write<'vec4f'> },
    'listBase' | 'vocabulary' | 'dim4' | 'embedOffset4' | 'smearOffset4', 'SMEAR'>;
  readonly 'policy/gather_targets': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; attended: Read<'vec4f'>; input: Read<'vec4f'>; targetAttended: Write<'vec4f'>; targetInput: Write<'vec4f'> },
    'targetBase' | 'countIndex' | 'dim4', 'ATTENDED'>;
  readonly 'policy/gradient_norm': Declared<{ squares: Read<'f32'>; norm: Write<'f32'>; health: Write<'u32'>; report: Write<'f32'> },
    'squareCount' | 'reportOffset' | 'clipNorm', 'LANES'>;
  readonly 'policy/linear': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; input: Read<'vec4f'>; residual: Read<'vec4f'>; output: Write<'vec4f'> },
    'countIndex' | 'in4' | 'outStride4' | 'weightOffset4' | 'groupRows' | 'highOffset4' | 'normOffset4' | 'epsilon', 'ADD_RESIDUAL' | 'NORM' | 'GATE'>;
  readonly 'policy/linear_backward_input': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; outputGradient: Read<'vec4f'>; inputGradient: Write<'vec4f'> },
    'countIndex' | 'in4' | 'outStride4' | 'weightOffset4'>;
  readonly 'policy/linear_backward_input_subgroup': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; outputGradient: Read<'vec4f'>; inputGradient: Write<'vec4f'> },
    'countIndex' | 'in4' | 'outStride4' | 'weightOffset4'>;
  readonly 'policy/linear_backward_weight': Declared<{ input: Read<'vec4f'>; partial: Write<'vec4f'>; counts: Read<'u32'>; outputGradient: Read<'vec4f'> },
    'countIndex' | 'chunks' | 'in4' | 'outStride4' | 'outRows' | 'weightOffset4' | 'partialStride4'>;
  readonly 'policy/linear_backward_weight_subgroup': Declared<{ input: Read<'vec2f'>; partial: Write<'vec2f'>; counts: Read<'u32'>; outputGradient: Read<'vec4f'> },
    'countIndex' | 'chunks' | 'in4' | 'outStride4' | 'outRows' | 'weightOffset4' | 'partialStride4'>;
  readonly 'policy/linear_subgroup': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; input: Read<'vec4f'>; residual: Read<'vec4f'>; output: Write<'vec4f'> },
    'countIndex' | 'in4' | 'outStride4' | 'weightOffset4' | 'groupRows' | 'highOffset4' | 'normOffset4' | 'epsilon', 'ADD_RESIDUAL' | 'NORM' | 'GATE'>;
  readonly 'policy/logits_backward': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; distribution: Read<'vec4f'>; lossGradient: Read<'vec4f'>; logits: Write<'f32'> },
    'targetBase' | 'countIndex' | 'vocabulary' | 'stride'>;
  readonly 'policy/reduce_gradients': Declared<{ partial: Read<'vec4f'>; gradient: Write<'vec4f'>; squares: Write<'f32'> },
    'parameters4' | 'chunks', 'LANES'>;
  readonly 'policy/rms_norm': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; input: Read<'vec4f'>; normed: Write<'vec4f'> },
    'countIndex' | 'dim4' | 'weightOffset4' | 'epsilon'>;
  readonly 'policy/rms_norm_backward': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; input: Read<'vec4f'>; normedGradient: Read<'vec4f'>; hiddenGradient: Write<'vec4f'>; scales: Write<'f32'> },
    'countIndex' | 'dim4' | 'weightOffset4' | 'epsilon'>;
  readonly 'policy/rms_norm_backward_weight': Declared<{ counts: Read<'u32'>; input: Read<'vec4f'>; normedGradient: Read<'vec4f'>; scales: Read<'f32'>; partial: Write<'vec4f'> },
    'countIndex' | 'chunks' | 'dim4' | 'weightOffset4' | 'partialStride4'>;
  readonly 'policy/rope_backward': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; rotation: Read<'vec4f'>; projectedGradient: Write<'vec4f'> },
    'rowBase' | 'countIndex', 'HEADS' | 'KV_HEADS' | 'HEAD_DIM4'>;
  readonly 'policy/rope_cache': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; rotation: Read<'vec4f'>; projected: Write<'vec4f'>; keys: Write<'vec4f'>; values: Write<'vec4f'> },
    'rowBase' | 'countIndex', 'HEADS' | 'KV_HEADS' | 'HEAD_DIM4'>;
  readonly 'policy/sample': Declared<{ counts: Write<'atomic<u32>'>; logits: Read<'f32'>; rows: Write<'vec4u'>; tokens: Write<'u32'>; sampled: Write<'vec4f'>; recorded: Write<'vec4f'>; thresholds: Read<'f32'>; turnLengths: Read<'u32'> },
    'countIndex' | 'vocabulary' | 'stride' | 'context' | 'seed' | 'step' | 'watch' | 'slots' | 'nextSlots' | 'truncated' | 'first' | 'stop0' | 'stop1' | 'stop2' | 'stop3' | 'inverseTemperature'>;
  readonly 'policy/scatter_targets': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; targetAttendedGradient: Read<'vec4f'>; targetHiddenGradient: Read<'vec4f'>; attendedGradient: Write<'vec4f'>; hiddenGradient: Write<'vec4f'> },
    'targetBase' | 'countIndex' | 'dim4'>;
  readonly 'policy/share_cache': Declared<{ copies: Read<'vec2u'>; keys: Write<'vec4f'>; values: Write<'vec4f'> },
    'count' | 'width4'>;
  readonly 'policy/smear_backward': Declared<{ counts: Read<'u32'>; rows: Read<'vec4u'>; parameters: Read<'vec4f'>; hiddenGradient: Read<'vec4f'>; partial: Write<'vec4f'> },
    'rowBase' | 'countIndex' | 'chunks' | 'dim4' | 'embedOffset4' | 'smearOffset4' | 'partialStride4'>;
  readonly 'policy/swiglu': Declared<{ counts: Read<'u32'>; gateUp: Read<'vec4f'>; activated: Write<'vec4f'> },
    'countIndex' | 'ff4'>;
  readonly 'policy/swiglu_backward': Declared<{ counts: Read<'u32'>; activatedGradient: Read<'vec4f'>; gateUp: Write<'vec4f'> },
    'countIndex' | 'ff4'>;
  readonly 'policy/token_log_prob': Declared<{ counts: Read<'u32'>; targets: Read<'vec4u'>; logits: Read<'f32'>; distribution: Write<'vec4f'> },
    'targetBase' | 'countIndex' | 'vocabulary' | 'stride', 'LANES'>;
  readonly 'policy/truncate': Declared<{ counts: Read<'u32'>; logits: Read<'f32'>; thresholds: Write<'f32'> },
    'countIndex' | 'vocabulary' | 'stride' | 'topK' | 'inverseTemperature' | 'topP', 'LANES'>;
  readonly 'policy/value_head': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; normed: Read<'vec4f'>; distribution: Write<'vec4f'> },
    'countIndex' | 'dim4' | 'weightOffset4'>;
  readonly 'policy/value_head_backward': Declared<{ counts: Read<'u32'>; parameters: Read<'vec4f'>; lossGradient: Read<'vec4f'>; normedGradient: Write<'vec4f'> },
    'countIndex' | 'dim4' | 'weightOffset4'>;
  readonly 'policy/value_head_backward_weight': Declared<{ counts: Read<'u32'>; lossGradient: Read<'vec4f'>; normed: Read<'vec4f'>; partial: Write<'vec4f'> },
    'countIndex' | 'chunks' | 'dim4' | 'weightOffset4' | 'partialStride4'>;
}

export type KernelName = keyof KernelTypes;

/** The workgroup of each kernel, with the constants that its sides depend on (`workgroupSize` works them out). */
export const WORKGROUPS: { readonly [name in KernelName]: DeclaredWorkgroup } = {
  'credit/absent_levels': { sides: [64, 1, 1], defaults: {} },
  'credit/absent_outcome': { sides: [64, 1, 1], defaults: {} },
  'credit/active_baseline': { sides: [64, 1, 1], defaults: {} },
  'credit/batch_normalize': { sides: [64, 1, 1], defaults: {} },
  'credit/discounted_returns': { sides: [64, 1, 1], defaults: {} },
  'credit/edge_advantage': { sides: [64, 1, 1], defaults: {} },
  'credit/first_turn_broadcast': { sides: [64, 1, 1], defaults: {} },
  'credit/gae': { sides: [64, 1, 1], defaults: {} },
  'credit/group_scale': { sides: [64, 1, 1], defaults: {} },
  'credit/prefix_value': { sides: [64, 1, 1], defaults: {} },
  'credit/progress_smear': { sides: [64, 1, 1], defaults: {} },
  'credit/retain_turns': { sides: [64, 1, 1], defaults: {} },
  'credit/segmented_normalize': { sides: [64, 1, 1], defaults: {} },
  'credit/segmented_softmax': { sides: [64, 1, 1], defaults: {} },
  'credit/select_largest': { sides: [64, 1, 1], defaults: {} },
  'credit/signature_runs': { sides: [64, 1, 1], defaults: {} },
  'credit/signature_sort': { sides: [64, 1, 1], defaults: {} },
  'credit/start_backup': { sides: [64, 1, 1], defaults: {} },
  'credit/success_ratio': { sides: [64, 1, 1], defaults: {} },
  'credit/test_rewards': { sides: ['WIDTH', 1, 1], defaults: { WIDTH: 64 } },
  'credit/test_weights': { sides: ['WIDTH', 1, 1], defaults: { WIDTH: 64 } },
  'credit/trajectory_broadcast': { sides: [64, 1, 1], defaults: {} },
  'credit/trajectory_returns': { sides: [64, 1, 1], defaults: {} },
  'credit/trajectory_success': { sides: [64, 1, 1], defaults: {} },
  'credit/trajectory_turn_sum': { sides: [64, 1, 1], defaults: {} },
  'credit/tree_backup': { sides: [64, 1, 1], defaults: {} },
  'credit/tree_combine': { sides: [64, 1, 1], defaults: {} },
  'credit/turn_aware_returns': { sides: [64, 1, 1], defaults: {} },
  'credit/turn_combine': { sides: [64, 1, 1], defaults: {} },
  'credit/turn_token_mean': { sides: [64, 1, 1], defaults: {} },
  'credit/value_difference': { sides: [64, 1, 1], defaults: {} },
  'credit/visit_statistics': { sides: [64, 1, 1], defaults: {} },
  'credit/weighted_backup': { sides: [64, 1, 1], defaults: {} },
  'objective/clipped_surrogate': { sides: [64, 1, 1], defaults: {} },
  'objective/cross_entropy': { sides: [64, 1, 1], defaults: {} },
  'objective/normalize_tokens': { sides: ['LANES', 1, 1], defaults: { LANES: 64 } },
  'objective/preference_loss': { sides: [64, 1, 1], defaults: {} },
  'objective/record_reference': { sides: [64, 1, 1], defaults: {} },
  'objective/record_values': { sides: [64, 1, 1], defaults: {} },
  'objective/report': { sides: ['LANES', 1, 1], defaults: { LANES: 32 } },
  'objective/share_ratios': { sides: [64, 1, 1], defaults: {} },
  'objective/value_loss': { sides: [64, 1, 1], defaults: {} },
  'policy/adamw': { sides: [64, 1, 1], defaults: {} },
  'policy/attention': { sides: [64, 1, 1], defaults: {} },
  'policy/attention_backward_key_value': { sides: [64, 1, 1], defaults: {} },
  'policy/attention_backward_query': { sides: [64, 1, 1], defaults: {} },
  'policy/embed': { sides: [64, 1, 1], defaults: {} },
  'policy/embed_backward': { sides: [64, 1, 1], defaults: {} },
  'policy/gather_targets': { sides: [64, 1, 1], defaults: {} },
  'policy/gradient_norm': { sides: ['LANES', 1, 1], defaults: { LANES: 64 } },
  'policy/linear': { sides: [32, 1, 1], defaults: {} },
  'policy/linear_backward_input': { sides: [32, 1, 1], defaults: {} },
  'policy/linear_backward_input_subgroup': { sides: [32, 1, 1], defaults: {} },
  'policy/linear_backward_weight': { sides: [8, 8, 1], defaults: {} },
  'policy/linear_backward_weight_subgroup': { sides: [32, 1, 1], defaults: {} },
  'policy/linear_subgroup': { sides: [32, 1, 1], defaults: {} },
  'policy/logits_backward': { sides: [64, 1, 1], defaults: {} },
  'policy/reduce_gradients': { sides: ['LANES', 1, 1], defaults: { LANES: 64 } },
  'policy/rms_norm': { sides: [64, 1, 1], defaults: {} },
  'policy/rms_norm_backward': { sides: [64, 1, 1], defaults: {} },
  'policy/rms_norm_backward_weight': { sides: [16, 4, 1], defaults: {} },
  'policy/rope_backward': { sides: [64, 1, 1], defaults: {} },
  'policy/rope_cache': { sides: [64, 1, 1], defaults: {} },
  'policy/sample': { sides: [32, 1, 1], defaults: {} },
  'policy/scatter_targets': { sides: [64, 1, 1], defaults: {} },
  'policy/share_cache': { sides: [64, 1, 1], defaults: {} },
  'policy/smear_backward': { sides: [16, 4, 1], defaults: {} },
  'policy/swiglu': { sides: [64, 1, 1], defaults: {} },
  'policy/swiglu_backward': { sides: [64, 1, 1], defaults: {} },
  'policy/token_log_prob': { sides: ['LANES', 1, 1], defaults: { LANES: 32 } },
  'policy/truncate': { sides: ['LANES', 1, 1], defaults: { LANES: 32 } },
  'policy/value_head': { sides: [64, 1, 1], defaults: {} },
  'policy/value_head_backward': { sides: [64, 1, 1], defaults: {} },
  'policy/value_head_backward_weight': { sides: [16, 4, 1], defaults: {} },
};

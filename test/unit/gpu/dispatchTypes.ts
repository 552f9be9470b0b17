// cspell:ignore activatd
import type { Kernel, KernelCache } from '../../../src/gpu/kernel.ts';
import type { Recorder } from '../../../src/gpu/recorder.ts';

/**
 * Type tests of dispatches. The test is `npm run check`: no code calls this function. Each line after an expectation
 * must be a type error.
 */
export async function typesOfDispatches(
  recorder: Recorder,
  kernels: KernelCache,
  buffer: GPUBuffer,
  plain: Kernel,
): Promise<void> {
  const swiglu = await kernels.get('policy/swiglu');
  const bindings = { counts: buffer, gateUp: buffer, activated: buffer };
  const uniforms = { countIndex: 0, ff4: 1 };
  const size = { invocations: [64] } as const;
  recorder.dispatch(swiglu, bindings, uniforms, size);
  recorder.dispatch(swiglu, bindings, uniforms, [1, 2]);

  // @ts-expect-error a binding is missing
  recorder.dispatch(swiglu, { counts: buffer, gateUp: buffer }, uniforms, size);
  // @ts-expect-error a binding is misspelt
  recorder.dispatch(swiglu, { counts: buffer, gateUp: buffer, activatd: buffer }, uniforms, size);
  // @ts-expect-error a binding is one too many, though it comes from elsewhere
  recorder.dispatch(swiglu, { ...bindings, ...{ logits: buffer } }, uniforms, size);
  // @ts-expect-error a uniform is missing
  recorder.dispatch(swiglu, bindings, { countIndex: 0 }, size);
  // @ts-expect-error a uniform is misspelt
  recorder.dispatch(swiglu, bindings, { countIndex: 0, ff: 1 }, size);
  // @ts-expect-error a uniform is one too many
  recorder.dispatch(swiglu, bindings, { ...uniforms, dim4: 1 }, size);
  // @ts-expect-error there is no such kernel
  await kernels.get('policy/swiglue');
  // @ts-expect-error there is no such constant
  await kernels.get('policy/embed', { SMEARED: 1 });

  // A dispatch with a union of two kernel types needs the bindings of both kernels.
  const either: Kernel<'policy/swiglu' | 'policy/swiglu_backward'> = swiglu;
  // @ts-expect-error the other one has a binding more
  recorder.dispatch(either, bindings, uniforms, size);
  recorder.dispatch(either, { ...bindings, activatedGradient: buffer }, uniforms, size);

  // The bindings and uniforms of an untyped kernel are checked at run time.
  recorder.dispatch(plain, { unknownName: buffer }, { whatever: 1 }, size);
}

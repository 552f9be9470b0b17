// Runs in the training worker before its own code (bench/soak.ts puts it there): counts the GPU's buffers that are
// alive, per device. A buffer that was collected without having been destroyed counts as gone too.
const devices = new Set();
const owner = new WeakMap();
const gone = new FinalizationRegistry(({ buffers, id }) => buffers.delete(id));
let next = 0;

const { requestDevice } = GPUAdapter.prototype;
GPUAdapter.prototype.requestDevice = async function (...args) {
  const device = await requestDevice.apply(this, args);
  const state = { buffers: new Map() };
  devices.add(state);
  owner.set(device, state);
  device.lost.then(() => devices.delete(state));
  return device;
};

const { createBuffer } = GPUDevice.prototype;
GPUDevice.prototype.createBuffer = function (descriptor) {
  const buffer = createBuffer.call(this, descriptor);
  const { buffers } = owner.get(this) ?? { buffers: new Map() };
  const id = next++;
  buffers.set(id, descriptor.size);
  owner.set(buffer, { buffers, id });
  gone.register(buffer, { buffers, id });
  return buffer;
};

const { destroy } = GPUBuffer.prototype;
GPUBuffer.prototype.destroy = function () {
  const { buffers, id } = owner.get(this) ?? {};
  buffers?.delete(id);
  return destroy.call(this);
};

const soakCounts = () => {
  const sizes = [...devices].flatMap(({ buffers }) => [...buffers.values()]);
  return { devices: devices.size, buffers: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
};
Object.assign(globalThis, { soakCounts });

// The constants that browsers and Dawn define.
Object.assign(globalThis, {
  GPUBufferUsage: { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128, QUERY_RESOLVE: 512 },
});

/** A device that computes nothing: it notes what is made, destroyed and submitted. */
export class FakeDevice {
  /** Buffers that were made and not destroyed. */
  alive = 0;
  /** Bind groups that were made. */
  bindGroups = 0;
  /** The commands of each submission. */
  readonly submitted: string[][] = [];
  readonly device = this.open();

  private open(): GPUDevice {
    const device = {
      limits: { maxStorageBufferBindingSize: 2 ** 27 },
      createBuffer: ({ label, size }: GPUBufferDescriptor) => {
        this.alive++;
        return { label, size, destroy: () => this.alive-- };
      },
      createBindGroup: () => ({ number: this.bindGroups++ }),
      createCommandEncoder: () => encoder(),
      queue: {
        writeBuffer: () => {},
        submit: (all: readonly { readonly commands: string[] }[]) => {
          this.submitted.push(...all.map(({ commands }) => commands));
        },
      },
    };
    return device as unknown as GPUDevice;
  }
}

function encoder() {
  const commands: string[] = [];
  return {
    copyBufferToBuffer: () => commands.push('copy'),
    clearBuffer: () => commands.push('clear'),
    beginComputePass: () => ({
      setPipeline: () => {},
      setBindGroup: () => {},
      dispatchWorkgroups: (x: number) => commands.push(`dispatch ${x}`),
      end: () => {},
    }),
    finish: () => ({ commands }),
  };
}

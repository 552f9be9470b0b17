// Constants that browsers and Dawn define.
Object.assign(globalThis, {
  GPUBufferUsage: { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128, QUERY_RESOLVE: 512 },
});

/** Device that computes nothing. It records created and destroyed objects and submitted commands. */
export class FakeDevice {
  /** Number of buffers that were created and not destroyed. */
  alive = 0;
  /** Number of bind groups that were created. */
  bindGroups = 0;
  /** Commands of each submission. */
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

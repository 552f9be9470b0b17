import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, errorCode, Interrupted, Stop } from '../framework/errors.ts';
import type { OutputPath } from './outputPath.ts';
import { writeAll } from './writeAll.ts';

/** Something that is written into and never replaced: a device, a pipe, an open file. */
export interface Sink {
  /** Resolves when it has been taken on. @throws {Stop} where a pipe's reader went away */
  write(data: string | Uint8Array): Promise<void>;
  /** Resolves when all has gone through. */
  end(): Promise<void>;
}

/** Opens what is no plain file. @param signal ends the wait for somebody who reads a pipe */
export function openSink({ kind, path }: OutputPath, signal: AbortSignal): Sink {
  return kind === 'pipe' ? new PipeSink(path, signal) : new DescriptorSink(path);
}

/** A device, or what a descriptor leads to. Nothing is cut off there: a shell's >> means to go on. */
class DescriptorSink implements Sink {
  private target: number | undefined;

  constructor(private readonly path: string) {}

  async write(data: string | Uint8Array): Promise<void> {
    this.target ??= openSync(this.path, constants.O_WRONLY | constants.O_APPEND | (constants.O_NOCTTY ?? 0));
    writeAll(this.target, typeof data === 'string' ? Buffer.from(data) : data);
  }

  async end(): Promise<void> {
    if (this.target !== undefined) closeSync(this.target);
    this.target = undefined;
  }
}

/** Milliseconds between two looks whether somebody reads a pipe by now. */
const LOOK = 50;

/** A named pipe. Opening one waits for its reader, which must keep no signal from being heard. */
class PipeSink implements Sink {
  private socket: Promise<Socket> | undefined;
  private failure: Error | undefined;

  constructor(
    private readonly path: string,
    private readonly signal: AbortSignal,
  ) {}

  async write(data: string | Uint8Array): Promise<void> {
    this.socket ??= this.open();
    const socket = await this.socket;
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error | null) => (error ? reject(this.told(error)) : resolve());
      socket.write(data, end);
    });
  }

  async end(): Promise<void> {
    if (!this.socket) return;
    const socket = await this.socket;
    if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()).end());
    if (this.failure) throw this.told(this.failure);
  }

  private async open(): Promise<Socket> {
    for (;;) {
      try {
        const fd = openSync(this.path, constants.O_WRONLY | constants.O_NONBLOCK);
        const socket = new Socket({ fd, readable: false, writable: true });
        return socket.on('error', (error) => {
          this.failure ??= error;
        });
      } catch (error) {
        if (errorCode(error) !== 'ENXIO') throw error;
      }
      if (this.signal.aborted) throw new Interrupted();
      // Nobody reads yet. An abort shows at the next look.
      await pause(LOOK);
    }
  }

  private told(error: Error): Error {
    if (errorCode(error) !== 'EPIPE') return error;
    return new Stop(`nobody reads ${this.path} any more`, EXIT.done);
  }
}

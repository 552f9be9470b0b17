import type { RunConfiguration } from '../../training/data/configuration.ts';
import type { Message } from '../../training/data/protocol.ts';
import { engineStrings } from '../strings/runStrings.ts';

/** Returns a notice if a run uses another engine than the requested one. Returns undefined for other messages. */
export function engineNotice({ engine: requested }: RunConfiguration, message: Message): string | undefined {
  if (message.type !== 'ready' && message.type !== 'device') return undefined;
  const { engine: got } = message.device;
  if (requested === undefined || got === requested) return undefined;
  return message.type === 'ready' ? engineStrings.different(requested, got) : engineStrings.replaced(got);
}

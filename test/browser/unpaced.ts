/** Runs have the maximum speed, and not the pace that users get. Frames of Python have no storage. */
export const UNPACED = `try { localStorage.setItem('turnwise-pace', 'null'); } catch {}`;

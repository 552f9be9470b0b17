/** Modules that vitePlugin.ts generates. */
declare module 'virtual:lab' {
  export const RESULTS: Readonly<
    Record<
      string,
      | {
          readonly summary: import('./plot.ts').ClaimSummary;
          readonly load: () => Promise<{ readonly default: import('./claimResult.ts').ClaimResult }>;
        }
      | undefined
    >
  >;
}

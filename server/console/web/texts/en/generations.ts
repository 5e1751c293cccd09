export const generations = {
  list: "Committed generations, newest first",
  current: "runs",
  failed: "The newest configuration was not committed",
  pinned: (number: number) => `Generation ${number} is pinned`,
  unpin: "Unpin",
  unpinSays: "The configuration file is taken again, as it is now, as a new generation.",
  reload: "Reload the configuration",
  reloadSays:
    "The configuration file is taken as it is now. One that does not start does not replace the one that runs.",
  unchanged: "Nothing had changed.",
  runs: (number: number) => `Generation ${number} runs.`,
  rollBack: "Roll back",
  rollBackTo: (number: number) => `Roll back to generation ${number}`,
  rollBackSays: (number: number) => `The configuration of generation ${number} runs again, as a new generation.`,
  enables: (names: string) => `Enables ${names}.`,
  disables: (names: string) => `Disables ${names}.`,
  codeChanged: (names: string) => `The code changed of ${names}.`,
  codeStays: "Plugins run the code that they have now: a rollback restores the configuration, and no code.",
  codeIsNot: (names: string, number: number) =>
    `A rollback restores no code: ${names} changed since generation ${number}, and runs the code that it has now.`,
  rollBackPins:
    "It is pinned, across restarts, until the file changes or the pin is taken back. Messages and data stay as they are.",
  rolledBack: (number: number, made: number) =>
    `Generation ${made} runs with the configuration of generation ${number}.`,
  changes: "Changes",
  changesOf: (number: number) => `Changes of generation ${number}`,
  compare: (number: number) => `Compare with ${number}`,
  compareWith: (number: number, running: number) => `Compare with ${running}: generation ${number}`,
  diff: (from: number, to: number) => `From generation ${from} to ${to}`,
  same: "The configurations are the same.",
} as const

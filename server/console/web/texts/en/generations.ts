export const generations = {
  list: "Committed generations, newest first",
  current: "running",
  failed: "The newest configuration was not committed",
  pinned: (number: number) => `Generation ${number} is pinned`,
  unpin: "Unpin",
  unpinSays: "The Host loads the configuration file as it is now, as a new generation.",
  reload: "Reload the configuration",
  reloadSays:
    "The Host loads the configuration file as it is now. If that configuration does not start, the running one stays.",
  unchanged: "The configuration has not changed.",
  runs: (number: number) => `Generation ${number} is running.`,
  rollBack: "Roll back",
  rollBackTo: (number: number) => `Roll back to generation ${number}`,
  rollBackSays: (number: number) =>
    `The Host runs the configuration of generation ${number} again, as a new generation.`,
  enables: (names: string) => `Enables ${names}.`,
  disables: (names: string) => `Disables ${names}.`,
  codeChanged: (names: string) => `The code of ${names} has changed.`,
  codeStays: "Plugins run their current code: a rollback restores the configuration, not the code.",
  codeIsNot: (names: string, number: number) =>
    `A rollback does not restore code. The code of ${names} has changed since generation ${number}, and the current code stays in use.`,
  rollBackPins:
    "The Host pins it, also across restarts, until the file changes or you unpin it. Messages and data stay as they are.",
  rolledBack: (number: number, made: number) =>
    `Generation ${made} is running with the configuration of generation ${number}.`,
  changes: "Changes",
  changesOf: (number: number) => `Changes of generation ${number}`,
  compare: (number: number) => `Compare with ${number}`,
  compareWith: (number: number, running: number) => `Compare with ${running}: generation ${number}`,
  diff: (from: number, to: number) => `From generation ${from} to ${to}`,
  same: "The configurations are the same.",
} as const

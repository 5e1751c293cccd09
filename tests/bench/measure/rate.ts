/** The processor time of this process so far, in milliseconds. */
export const cpuMilliseconds = (): number => {
  const {user, system} = process.cpuUsage()
  return (user + system) / 1000
}

/** Repeats work that does `amount` things, for this many milliseconds of processor time. Resolves to things per CPU-second. */
export const rateOf = async (
  work: () => void | Promise<void>,
  {amount, time}: {readonly amount: number; readonly time: number},
): Promise<number> => {
  const begun = cpuMilliseconds()
  let done = 0
  let used = 0
  while (used < time) {
    await work()
    done += amount
    used = cpuMilliseconds() - begun
  }
  return (done / used) * 1000
}

/** Prints one JSON value: by case, one sample per round. A round before them is a warm-up for the compiler. */
export const printSamples = async (
  cases: Readonly<Record<string, () => number | Promise<number>>>,
  rounds: number,
): Promise<void> => {
  const samples = new Map(Object.keys(cases).map(name => [name, [] as number[]]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(cases)) {
      const value = await measure()
      if (round > 0) samples.get(name)?.push(value)
    }
  }
  process.stdout.write(`${JSON.stringify(Object.fromEntries(samples))}\n`)
}

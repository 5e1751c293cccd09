export interface Flight {
  /** The number of messages in progress, each on its own lane. */
  readonly flying: number
  /** The duration of the measurement, after half a second of warm-up. */
  readonly seconds?: number
  /** The number of messages, instead of a duration. */
  readonly messages?: number
}

/** The results. Times in milliseconds. */
export interface Flown {
  /** Messages per second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** The time from the first to the last message, including the warm-up. */
  readonly all: number
}

const warmUp = 500

/** The longest wait for messages in progress at the end, in milliseconds. */
const patience = 10_000

export interface Flights {
  /** The message with this id has ended; its lane sends the next one. */
  complete(id: string): void
  fly(): Promise<Flown>
}

/** Keeps messages in progress: `say` starts one on a lane. */
export const createFlights = (
  {flying, seconds = 1, messages}: Flight,
  say: (id: string, lane: number) => void,
): Flights => {
  const run = `${process.pid.toString(36)}.${Date.now().toString(36)}`
  const under = new Map<string, {readonly lane: number; readonly begun: number}>()
  const times: number[] = []
  let count = 0
  let isMeasuring = messages !== undefined
  let isOver = false
  const next = (lane: number) => {
    if (isOver || count === messages) return
    const id = `${run}.${++count}`
    under.set(id, {lane, begun: performance.now()})
    say(id, lane)
  }
  const untilLanded = async () => {
    for (let waited = 0; under.size > 0; waited += 10) {
      if (waited > patience) throw new Error(`${under.size} of ${count} messages did not end`)
      await Bun.sleep(10)
    }
  }
  const measure = async () => {
    if (messages !== undefined) {
      while (count < messages) await Bun.sleep(10)
      return untilLanded()
    }
    await Bun.sleep(warmUp)
    isMeasuring = true
    await Bun.sleep(seconds * 1000)
    isMeasuring = false
  }
  return {
    complete: id => {
      const found = under.get(id)
      if (found === undefined) return
      under.delete(id)
      if (isMeasuring) times.push(performance.now() - found.begun)
      next(found.lane)
    },
    fly: async () => {
      for (let lane = 0; lane < flying; lane++) next(lane)
      const begun = performance.now()
      await measure()
      const measured = performance.now() - begun - (messages === undefined ? warmUp : 0)
      isOver = true
      // Messages in progress end before the next sample.
      await untilLanded()
      times.sort((one, other) => one - other)
      const at = (share: number) => times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? Number.NaN
      return {rate: (times.length / measured) * 1000, p50: at(0.5), p99: at(0.99), all: count}
    },
  }
}

/** Reports the replies that the Host's platform has received, until `stop`. */
export const hearReplies = async (port: number, token: string, complete: (id: string) => void) => {
  const stop = new AbortController()
  const replies = await fetch(`http://127.0.0.1:${port}/api/plugins/sink/replies`, {
    headers: {authorization: `Bearer ${token}`},
    signal: stop.signal,
  })
  if (!replies.ok) throw new Error(`the sink does not answer: ${replies.status}`)
  void (async () => {
    let rest = ""
    for await (const chunk of replies.body ?? []) {
      const lines = (rest + Buffer.from(chunk).toString("latin1")).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) complete(line)
    }
  })().catch(error => {
    if (!stop.signal.aborted) throw error
  })
  return () => stop.abort()
}

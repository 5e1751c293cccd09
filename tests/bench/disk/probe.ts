/**
 * Stores messages at a steady rate while it requests health and status every few milliseconds and reads the event
 * stream. Then stores as many messages as possible, with a fixed number in progress. Prints the messages per second of
 * the second part, and the times of the first part's answers in milliseconds. Runs as a separate process, on Bun.
 * Arguments: port, token, messages per second, number in progress, seconds.
 */
const [port, token, rate = "1", flying = "1", seconds = "1"] = process.argv.slice(2)
const pause = 5
const warmUp = 1500

const send = async (path: string, init: RequestInit = {}): Promise<void> => {
  const headers = {authorization: `Bearer ${token}`, "content-type": "application/json"}
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {...init, headers})
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
}

let isOver = false
let isMeasuring = false

const repeat = async (ask: () => Promise<void>, rest: number): Promise<number[]> => {
  const times: number[] = []
  while (!isOver) {
    const begun = performance.now()
    await ask()
    if (isMeasuring) times.push(performance.now() - begun)
    if (rest > 0) await Bun.sleep(rest)
  }
  return times
}

const body = JSON.stringify({text: "a message of a busy channel", group: true})
const post = () => send("/api/plugins/sandbox/messages", {method: "POST", body})

/** The times between two chunks of the stream. */
const follow = async (signal: AbortSignal): Promise<number[]> => {
  const gaps: number[] = []
  const headers = {authorization: `Bearer ${token}`, accept: "text/event-stream"}
  const {body} = await fetch(`http://127.0.0.1:${port}/api/events`, {headers, signal})
  let last = performance.now()
  try {
    for await (const _ of body ?? []) {
      const now = performance.now()
      if (isMeasuring) gaps.push(now - last)
      last = now
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return gaps
}

const keepPace = async (): Promise<number[]> => {
  const times: Promise<number>[] = []
  for (let due = performance.now(); !isOver; due += 1000 / Number(rate)) {
    await Bun.sleep(Math.max(0, due - performance.now()))
    const begun = performance.now()
    const stored = post().then(() => performance.now() - begun)
    if (isMeasuring) times.push(stored)
  }
  return Promise.all(times)
}

const run = async <T>(asking: Promise<T>): Promise<T> => {
  await Bun.sleep(warmUp)
  isMeasuring = true
  await Bun.sleep(Number(seconds) * 1000)
  isMeasuring = false
  isOver = true
  ending.abort()
  return asking
}

const ending = new AbortController()
const [health, status, gaps, write] = await run(
  Promise.all([
    repeat(() => send("/pub/health"), pause),
    repeat(() => send("/api/system/status"), 4 * pause),
    follow(ending.signal),
    keepPace(),
  ]),
)
isOver = false
const stored = (await run(Promise.all(Array.from({length: Number(flying)}, () => repeat(post, 0))))).flat().length
process.stdout.write(`${JSON.stringify({rate: stored / Number(seconds), health, status, gaps, write})}\n`)

export {}

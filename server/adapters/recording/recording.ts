import {type Visit, type Words, walk} from "./walk.ts"

/** A request of the adapter with the platform's answer. */
export interface Exchange {
  /** The platform's name of the method, such as `sendMessage`. */
  readonly method: string
  readonly request: unknown
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON, or the number of bytes of anything else. */
  readonly response: unknown
}

/** A step of the script. */
export interface RecordedStep {
  readonly step: string
  readonly ended: "done" | "skipped" | "failed"
  readonly exchanges: readonly Exchange[]
  /** The types of the events that the adapter made of it, in order. */
  readonly events: readonly string[]
}

/** The file `recordings/<adapter>.json`. */
export interface Recording {
  readonly schema: "svc.recording/1"
  readonly adapter: string
  /** The day, such as 2026-01-31. */
  readonly recorded: string
  readonly steps: readonly RecordedStep[]
}

/** Returns a recording in which `visit` has replaced whatever the platform or the adapter sent, except words. */
export const walkRecording = (recording: Recording, words: Words, visit: Visit): Recording => {
  const through = (exchange: Exchange): Exchange => ({
    ...exchange,
    request: walk(exchange.request, words, visit),
    headers: Object.fromEntries(
      Object.entries(exchange.headers).map(([name, value]) => [name, String(walk(value, words, visit, name))]),
    ),
    response: walk(exchange.response, words, visit),
  })
  return {...recording, steps: recording.steps.map(step => ({...step, exchanges: step.exchanges.map(through)}))}
}

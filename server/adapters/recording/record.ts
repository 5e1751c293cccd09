import {type AdapterDefinition, type Incoming, isRefusal, Problem} from "../../../shared/sdk/sdk.ts"
import {type OpenAccount, openAccount, type Tools} from "./account.ts"
import {maskedText} from "./mask.ts"
import type {Account, RecordedPlatform} from "./platform.ts"
import type {RecordedStep} from "./recording.ts"
import {Relay} from "./relay.ts"
import {type Step, script} from "./script.ts"

/** How a recording ended. */
export interface Recorded {
  /** The text of the file. */
  readonly text: string
  readonly steps: readonly Pick<RecordedStep, "step" | "ended">[]
}

export interface RecordOptions {
  readonly name: string
  readonly adapter: AdapterDefinition<never>
  readonly platform: RecordedPlatform
  readonly account: Account
  readonly secrets: readonly string[]
  readonly tools: Tools
  /** Serves the relay on this machine. Resolves to its address. */
  serve(relay: Relay): Promise<string>
  /** Hears each step as it starts, and what has failed. */
  tell(text: string): void
  /** Calls back when the person skips the step. Returns what ends that. */
  onSkip(skip: () => void): () => void
  /** Ends the recording, which keeps what there is. */
  readonly signal: AbortSignal
}

/**
 * Walks a person through the script, and records what the account and its platform say meanwhile.
 * Throws `request_invalid` if the platform refuses the account.
 */
export const record = async (options: RecordOptions): Promise<Recorded> => {
  const {name, platform, secrets, tell, signal} = options
  const ending = new AbortController()
  const ended = AbortSignal.any([signal, ending.signal])
  const relay = new Relay(
    platform,
    String(platform.rootOf(options.account) ?? platform.usual),
    ended,
    options.tools.openSocket,
  )
  relay.address = await options.serve(relay)
  const lost = (error: Error) => {
    if (ended.aborted) return
    tell(`the connection was lost: ${error.message}`)
    ending.abort()
  }
  const account = platform.through(options.account, relay.address)
  const opened = await openAccount(options.adapter, account, options.tools, lost).catch(error => {
    ending.abort()
    throw isRefusal(error)
      ? new Problem("request_invalid", error.message, {hint: error.remediation, cause: error})
      : error
  })
  const steps: RecordedStep[] = [{step: "connect", ended: "done", exchanges: await relay.take(), events: []}]
  try {
    let place = {said: undefined as Said | undefined, seen: 0}
    for (const [index, step] of script.entries()) {
      if (ended.aborted) break
      tell(`${index + 1}/${script.length} ${step.ask}`)
      const run = await runStep(step, opened, place, {...options, signal: ended})
      const events = opened.events.slice(place.seen)
      place = {said: saidIn(events) ?? place.said, seen: opened.events.length}
      const exchanges = await relay.take()
      steps.push({step: step.name, ended: run, exchanges, events: events.map(({type}) => type)})
    }
  } finally {
    ending.abort()
    await opened.close()
  }
  const recorded = new Date().toISOString().slice(0, 10)
  const text = maskedText({schema: "svc.recording/1", adapter: name, recorded, steps}, platform.words, secrets)
  return {text, steps: steps.map(({step, ended: how}) => ({step, ended: how}))}
}

interface Said {
  readonly channel: string
  readonly message: string
  readonly user: string
  readonly guild?: string
}

/** Returns the last message that a person has written or edited. */
const saidIn = (events: readonly Incoming[]): Said | undefined => {
  const last = events.findLast(({type}) => type === "message-created")
  if (last?.channel === undefined || last.message?.id === undefined) return undefined
  const guild = last.guild === undefined ? {} : {guild: last.guild.id}
  return {channel: last.channel.id, message: last.message.id, user: last.user?.id ?? "", ...guild}
}

const runStep = async (
  step: Step,
  opened: OpenAccount,
  {said, seen}: {readonly said: Said | undefined; readonly seen: number},
  {onSkip, tell, signal, adapter: {features = []}}: Pick<RecordOptions, "onSkip" | "tell" | "signal" | "adapter">,
): Promise<RecordedStep["ended"]> => {
  const skipping = new AbortController()
  const stop = onSkip(() => skipping.abort())
  const either = AbortSignal.any([signal, skipping.signal])
  const stageAt = (place: Said | undefined) => place && {sender: opened.sender, features, signal: either, said: place}
  try {
    const before = stageAt(said)
    if (step.before !== undefined && before !== undefined) await step.before(before)
    const event = step.until && (await opened.next(step.until, seen, either))
    const after = stageAt((event && saidIn([event])) ?? said)
    if (step.after !== undefined && after !== undefined) await step.after(after, event)
    return "done"
  } catch (error) {
    if (either.aborted) return "skipped"
    tell(`this step failed: ${error instanceof Error ? error.message : String(error)}`)
    return "failed"
  } finally {
    stop()
  }
}

import {setTimeout as sleep} from "node:timers/promises"
import type {AgentRunDetail} from "../../../shared/api/agents/agents.ts"
import {createClient} from "../../../shared/api/operations/client.ts"
import {exit} from "../../../shared/exit.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {readText} from "../../../shared/sdk/adapter/answer.ts"
import type {StandIns} from "../../agents/stand-ins.ts"
import {TestClock} from "../../runtime/flow/test-clock.ts"
import {createLogs} from "../../runtime/logs/log.ts"
import {bypassProxy} from "../../runtime/proxy.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import type {Host} from "../open/host.ts"
import {pendingOf} from "../pending.ts"
import {start} from "../start.ts"
import type {EvalCase, Turn} from "./cases.ts"

export interface SessionOptions {
  /** A copy of the project. */
  readonly folder: string
  readonly environment: string
  /** The time of its clock, which stands still; in milliseconds since 1970. */
  readonly now: number
  readonly standIns: StandIns
  readonly signal: AbortSignal
  readonly runtime: Runtime
}

export interface Held {
  /** The runs of agents, oldest first. */
  readonly runs: readonly AgentRunDetail[]
  /** The errors in the Host's log. */
  readonly errors: readonly string[]
  /** The models of the project's agents. */
  readonly models: readonly string[]
}

/** Holds the conversation of a case with a Host in the copy. Throws why the Host or an agent cannot start. */
export const hold = async (given: EvalCase, options: SessionOptions): Promise<Held> => {
  const {folder, environment, now, standIns, signal, runtime} = options
  const errors: string[] = []
  const logs = createLogs({level: "error", format: "pretty", colors: false, write: () => {}})
  logs.onError(({message}) => errors.push(String(message)))
  const clock = new TestClock(now)
  const host = await start(
    {
      project: folder,
      mode: "test",
      environment,
      watch: false,
      command: "svc agent eval",
      supervisor: () => "none",
      logs,
      clock,
      standIns,
      onlyEndpoint: "sandbox",
      isScratch: true,
      signal,
    },
    runtime,
  )
  bypassProxy(new URL(host.url))
  const client = createClient((_, path, body) => ask(host, path, body))
  try {
    const models = await readModels(client)
    await until(signal, () => host.endpoints.get("sandbox")?.state.is === "online" && isSettled(host, clock))
    for (const turn of given.conversation ?? [given]) {
      await take({...given, ...turn}, host)
      await until(signal, () => isSettled(host, clock))
    }
    return {runs: await readRuns(client), errors, models}
  } finally {
    await host.stop({code: exit.ok, reason: "the case ended"})
  }
}

/** The largest answer of the Host, in bytes. */
const largest = 64 * 1024 * 1024

const ask = async (host: Host, path: string, body?: unknown): Promise<unknown> => {
  const authorization = `Bearer ${host.token?.reveal() ?? ""}`
  const response = await fetch(`${host.url}${path}`, {
    headers: {authorization, "content-type": "application/json"},
    ...(body === undefined ? {} : {method: "POST", body: toJson(body)}),
  })
  const text = await readText(response, largest)
  if (!response.ok) throw new Problem("request_invalid", `the sandbox answered ${response.status}: ${text}`)
  return fromJson(text)
}

const take = async ({say, press, user, channel, group, roles, language}: Turn, host: Host): Promise<void> => {
  const place = {user: user ?? "tester", channel: channel ?? "eval", group, roles, locale: language}
  const [path, done] = say === undefined ? ["press", {button: press}] : ["messages", {text: say}]
  await ask(host, `/api/plugins/sandbox/${path}`, {...place, ...done})
}

/** Throws `agent_misconfigured` if an agent could not run. */
const readModels = async (client: Client): Promise<readonly string[]> => {
  const {items} = await client.get("/api/agents", {})
  const enabled = items.filter(agent => agent.enabled)
  for (const {name, configured, problem} of enabled)
    if (!configured) throw new Problem("agent_misconfigured", `agents.${name}: ${problem}`)
  return [...new Set(enabled.map(({provider, model}) => `${provider}:${model}`))]
}

type Client = ReturnType<typeof createClient>

const readRuns = async (client: Client): Promise<readonly AgentRunDetail[]> => {
  const {items} = await client.get("/api/runs", {kind: "agent", limit: 500})
  const details = await Promise.all(items.map(({runId}) => client.get("/api/runs/:id", {id: runId})))
  return details.filter(run => run.kind === "agent").reverse()
}

/** An event that was just stored is pending before the Host is busy with it. */
const isSettled = async (host: Host, clock: TestClock): Promise<boolean> => {
  for (let still = 0; still < 3; still++) {
    if (!host.isIdle() || clock.isWaking) return false
    if ((await pendingOf(host)).some(({is}) => is === "moving")) return false
    await sleep(2)
  }
  return true
}

const until = async (signal: AbortSignal, isDone: () => Promise<boolean> | boolean): Promise<void> => {
  while (!(await isDone())) {
    signal.throwIfAborted()
    await sleep(5)
  }
  signal.throwIfAborted()
}

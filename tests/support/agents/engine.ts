import {v7 as uuid} from "uuid"
import {Agents} from "../../../server/agents/agents.ts"
import {Bindings} from "../../../server/agents/bindings/bindings.ts"
import {longestSilence} from "../../../server/agents/calls/silence.ts"
import {pluginTool} from "../../../server/agents/tools/plugin-tool.ts"
import {toolTable} from "../../../server/agents/tools/table.ts"
import type {Database} from "../../../server/database/database.ts"
import type {Snapshot} from "../../../server/generation/generation.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {type Clock, systemClock} from "../../../server/runtime/flow/clock.ts"
import {TableStore} from "../../../server/workroom/store/table-store.ts"
import {Workroom} from "../../../server/workroom/workroom.ts"
import type {AgentSettings} from "../../../shared/config/agents.ts"
import type {Log} from "../../../shared/log.ts"
import {Problem} from "../../../shared/problems.ts"
import {log as silence} from "../database/databases.ts"
import {root} from "../host/runtimes.ts"
import {authority} from "../workroom/requests.ts"
import {bindingOf} from "./bindings.ts"

/** The database must stay open as long as the agents run. */
export interface EngineParts {
  readonly database: Database
  /** The settings of `helper`: its model server, its tools, its limits. */
  readonly settings: Partial<AgentSettings>
  /** What the plugins of its generation publish; read again after a change. */
  readonly snapshot: () => Pick<Snapshot, "tools">
  readonly clock?: Clock
  readonly isPaused?: () => boolean
  readonly log?: Log
}

/** A Host's agents without the Host: users of the endpoint `line`, which sends nothing, ask `helper`. */
export const agentsOn = async (parts: EngineParts): Promise<{agents: Agents; workroom: Workroom}> => {
  const {database, settings, snapshot, clock = systemClock, isPaused = () => false, log = silence} = parts
  const workroom = await Workroom.open({store: new TableStore(database), authority, log})
  const binding = bindingOf(settings)
  const requireTarget = ({endpoint}: {readonly endpoint: string}) => {
    if (endpoint !== "line") throw new Problem("endpoint_unknown", `there is no endpoint ${endpoint}`)
  }
  const tools = () => toolTable([], snapshot().tools, (name, tool) => pluginTool(name, tool, {requireTarget}))
  const bindings = new Bindings({
    current: () => new Map([[binding.name, binding]]),
    tools,
    isInstalled: () => true,
    mcpStateOf: () => ({is: "idle"}),
    clock,
  })
  const agents = new Agents({
    ...{database, log, clock, workroom, bindings, tools, isPaused},
    runtimeId: uuid(),
    project: root,
    outbox: new Outbox(database, log),
    endpoints: {get: () => undefined, hasFeature: () => false, typing: () => {}},
    permissionOf: () => "trusted",
    languageOf: async () => "en",
    texts: () => undefined,
    meter: {modelEnded: () => {}, toolEnded: () => {}, unknownMet: () => {}},
    learnSecrets: () => {},
    hide: text => text,
    requireOpen: () => {
      if (isPaused()) throw new Problem("ingress_paused", "ingress is paused: no agent runs")
    },
  })
  return {agents, workroom}
}

export const askedBy = (user: string, input: string) =>
  ({
    agent: "helper",
    trigger: "direct",
    input,
    endpoint: "line",
    channel: {id: "#team", type: 0},
    user: {id: user, name: user},
  }) as const

/** Shortens waits, except for a silent model, and records the requested pauses between attempts, in milliseconds. */
export class HastyClock implements Clock {
  readonly longestWait = systemClock.longestWait
  readonly togetherFor = 1
  readonly elapsed = systemClock.elapsed
  readonly pauses: number[] = []
  #offset = 0

  now(): number {
    return systemClock.now() + this.#offset
  }

  /** Sets the clock forward or back, in milliseconds. */
  set(by: number): void {
    this.#offset += by
  }

  wait(milliseconds: number, wake: () => void): () => void {
    if (milliseconds < 500 || milliseconds === longestSilence) return systemClock.wait(milliseconds, wake)
    this.pauses.push(milliseconds)
    return systemClock.wait(10, wake)
  }
}

/** A clock that goes this many times as fast as the machine's, and that a test can set forward. */
export class FastClock implements Clock {
  readonly longestWait = systemClock.longestWait
  readonly togetherFor = 1
  readonly #times: number
  #skipped = 0

  constructor(times: number) {
    this.#times = times
  }

  now(): number {
    return performance.timeOrigin + this.elapsed()
  }

  elapsed(): number {
    return performance.now() * this.#times + this.#skipped
  }

  /** Sets the clock forward, in milliseconds; timers keep their length. */
  skip(by: number): void {
    this.#skipped += by
  }

  wait(milliseconds: number, wake: () => void): () => void {
    return systemClock.wait(milliseconds / this.#times, wake)
  }
}

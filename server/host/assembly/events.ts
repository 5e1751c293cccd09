import {durationOf} from "../../../shared/duration.ts"
import {epochOf} from "../../../shared/event-id.ts"
import type {Raise} from "../../../shared/events.ts"
import type {Mode} from "../../../shared/mode.ts"
import type {Issue} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import type {RunHistory} from "../../database/runs.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import {Envelopes} from "../../events/envelope.ts"
import {ErrorEvents} from "../../events/errors.ts"
import {EventLog} from "../../events/log.ts"
import {EventRetention} from "../../events/retention.ts"
import type {EventServices} from "../../events/routes.ts"
import {EventStream} from "../../events/stream.ts"
import type {Failure} from "../../generation/generation.ts"
import type {Logs} from "../../logs/log.ts"
import type {Instance} from "../../plugins/instance.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Runtime} from "../../runtime/runtime.ts"
import {version} from "../../runtime/version.ts"

export interface EventOptions {
  readonly database: Database
  readonly project: string
  readonly authority: string
  readonly logs: Logs
  /** The configuration's `events.history`. */
  readonly limits: () => {readonly events: number; readonly bytes: number; readonly age: string}
}

/** The event log of a Host, and the functions that raise the Host's own events. */
export interface HostEvents extends EventServices {
  readonly raise: Raise
  /** The Host serves: from now on retention deletes old events. */
  started(runtime: Runtime, mode: Mode, history: RunHistory): void
  endpointChanged(endpoint: Endpoint): void
  instanceChanged(instance: Instance): void
  failed(failure: Failure): void
  /** Delivers the stored events and ends the streams. Later events are still stored. */
  endStreams(): Promise<void>
  /** Stores the pending events. */
  close(): Promise<void>
}

export const openEvents = async ({database, project, authority, logs, limits}: EventOptions): Promise<HostEvents> => {
  const {log} = logs
  const epoch = epochOf(authority)
  const events = new EventLog(database, log, logs.scrubJson)
  await events.start()
  const envelopes = new Envelopes({epoch, project, hide: logs.scrubJson})
  const stream = new EventStream({database, events, envelopes, epoch, log})
  const retention = new EventRetention(database, events, log, () => {
    const {age, ...most} = limits()
    return {...most, age: durationOf(age)}
  })
  const errors = new ErrorEvents()
  logs.onError(record => {
    const data = errors.take(record)
    if (data !== undefined) events.raise("log.error", data)
  })
  const settled = () => withTimeLimit(500, () => events.settled()).catch(() => {})
  return {
    events,
    stream,
    envelopes,
    epoch,
    raise: events.raise,
    started: (runtime, mode, {earlierStarts, endedCleanly}) => {
      const name = `${runtime.name} ${runtime.version}`
      events.raise("host.started", {version, runtime: name, mode, restarts: earlierStarts, endedCleanly})
      retention.start()
    },
    endpointChanged: endpoint => events.raise("endpoint.state", stateOf(endpoint), {endpoint: endpoint.spec.name}),
    instanceChanged: ({id, name, state}) => {
      if (state.is === "starting") return
      const {since: _, is, ...thrown} = state
      events.raise("plugin.state", {plugin: name, instance: id, state: is, ...thrown})
    },
    failed: failure => tellFailure(events.raise, failure),
    endStreams: async () => {
      await settled()
      await withTimeLimit(500, () => stream.end()).catch(() => {})
    },
    close: async () => {
      await retention.stop()
      await settled()
    },
  }
}

const stateOf = ({state, ownAdmission}: Endpoint) => ({
  state: state.is,
  admission: ownAdmission.is,
  since: new Date(state.since).toISOString(),
  ...("reason" in state ? {reason: state.reason} : {}),
  ...("attempt" in state ? {attempt: state.attempt} : {}),
  ...("error" in state ? {error: state.error} : {}),
  ...("remediation" in state ? {remediation: state.remediation} : {}),
})

/** The highest number of issues of one failure that an event carries. */
const mostIssues = 20

const tellFailure = (raise: Raise, {reason, problem}: Failure): void => {
  const {code, message, issues} = problem
  const data = {reason, code, detail: message, issues: issues.slice(0, mostIssues).map(positionOf)}
  if (/^config_|^restart_required$/.test(code)) raise("configuration.refused", data)
  raise("generation.failed", data)
}

const positionOf = ({file, line, column, path, message}: Issue) => ({
  file,
  line,
  column,
  ...(path === undefined || path === "" ? {} : {path}),
  message,
})

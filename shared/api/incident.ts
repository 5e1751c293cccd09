import {isAdmittingOffline, missedFirst} from "../endpoint-states.ts"
import {epochOf} from "../event-id.ts"
import type {View, views} from "./incident-views.ts"

export const questions = [
  "Is /pub/health reachable?",
  "Is it the expected Host and version?",
  "Are the endpoints online and receiving inbox events?",
  "Did the current generation publish the required capabilities?",
  "Do database, event history, workroom Journal and job file have one authority?",
] as const

export const paths: Readonly<Record<keyof typeof views, string>> = {
  status: "/api/system/status",
  endpoints: "/api/endpoints?limit=500",
  releases: "/api/releases?limit=50",
  readiness: "/api/system/readiness",
  plugins: "/api/plugins?limit=500",
  agents: "/api/agents",
  history: "/api/events/history?limit=1",
  jobs: "/api/jobs?limit=1",
}

/** The answer to one question, its evidence, and the next step if the answer is no. */
export interface Judgement {
  readonly answer: "yes" | "no" | "not asked"
  readonly evidence: readonly string[]
  readonly next?: string
}

export interface Expectations {
  readonly project?: string | undefined
  readonly version?: string | undefined
  readonly capabilities: readonly string[]
  /** In milliseconds. */
  readonly longestQuiet?: number | undefined
}

const judge = (isYes: boolean, evidence: readonly string[], next: string): Judgement =>
  isYes ? {answer: "yes", evidence} : {answer: "no", evidence, next}

export const judgeHost = (
  status: View<"status">,
  {project, version}: Omit<Expectations, "capabilities">,
  releases: View<"releases">["items"] = [],
): Judgement => {
  const {generation, runtimeId, mode, startedAt, restarts, build} = status
  const built = build === undefined ? "" : `, build ${build.id}`
  const who = `${status.project}, svc ${status.version}${built}, generation ${generation.number}, ${mode}`
  const run = `runtimeId ${runtimeId}, since ${startedAt}, earlier starts: ${restarts}`
  // A Host in development takes saved changes without a release.
  const release = mode === "production" ? judgeRelease(build?.id, releases) : undefined
  const wrong = [
    ...(project === undefined || project === status.project ? [] : [`expected the project ${project}`]),
    ...(version === undefined || version === status.version ? [] : [`expected svc ${version}`]),
    ...(release?.isWrong === true ? [release.said] : []),
  ]
  const isUnasked = project === undefined && version === undefined && release === undefined
  return judge(
    wrong.length === 0,
    [
      who,
      run,
      ...wrong,
      ...(release?.isWrong === false ? [release.said] : []),
      ...(isUnasked ? ["no expected project or version was given, and no release was completed"] : []),
    ],
    "Check the address and the deployed version; svc release history, svc generation list and svc logs show what it runs.",
  )
}

/** Compares the running build with the last completed or rolled back release; undefined if nothing can be compared. */
const judgeRelease = (
  build: string | undefined,
  releases: View<"releases">["items"],
): {readonly isWrong: boolean; readonly said: string} | undefined => {
  const underWay = releases.find(({state}) => state === "beginning" || state === "begun")
  if (underWay !== undefined) return {isWrong: false, said: `release ${underWay.id} is under way`}
  const [last] = releases
    .filter(({state}) => state !== "aborted")
    .toSorted((one, other) => (other.endedAt ?? "").localeCompare(one.endedAt ?? ""))
  if (last === undefined) return undefined
  const {id, state, build: released} = last
  if (state === "rolled_back")
    return released === build && build !== undefined
      ? {isWrong: true, said: `expected what ran before release ${id}, which was rolled back`}
      : {isWrong: false, said: `release ${id} was rolled back`}
  if (build === undefined || typeof released !== "string") return undefined
  return released === build
    ? {isWrong: false, said: `it is the build of release ${id}`}
    : {isWrong: true, said: `expected build ${released} of release ${id}`}
}

/** `3 s`, `12 min`, `5 h`. */
const ageOf = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

type EndpointFacts = View<"endpoints">["items"][number]

/** The endpoint's own gate, whatever ingress says: the answer says that once for all. */
const isClosed = ({admission, reason}: EndpointFacts): boolean => admission !== "open" && reason !== "ingress_paused"

/** Each fact has one source: an endpoint its own view, ingress the Host's status. */
export const judgeEndpoints = (
  endpoints: readonly EndpointFacts[],
  {state, reasons}: View<"status">["ingress"],
  now: number,
  longestQuiet?: number,
): Judgement => {
  // A Host of an older version lists them in another order.
  const ordered = missedFirst(endpoints)
  const last = (what: string, none: string, at: string | null | undefined) =>
    at == null ? none : `${what} ${ageOf(now - Date.parse(at))} ago`
  const lines = ordered.map(endpoint => {
    const {name, required, state: is, since, awaySince = since, reason, lastEventAt, lastSentAt} = endpoint
    return [
      `${name}: ${is}${awaySince === undefined ? "" : ` for ${ageOf(now - Date.parse(awaySince))}`}`,
      ...(isClosed(endpoint) ? [`admits no events${reason === undefined ? "" : ` (${reason})`}`] : []),
      ...(required === true && isAdmittingOffline(is) ? ["required"] : []),
      last("last event", "no event yet", lastEventAt),
      ...(lastSentAt === undefined ? [] : [last("last message sent", "no message sent yet", lastSentAt)]),
    ].join(", ")
  })
  const newest = Math.max(...endpoints.map(({lastEventAt}) => Date.parse(lastEventAt ?? "")).filter(at => at > 0))
  const away = ordered.find(endpoint => endpoint.state !== "online" || isClosed(endpoint))
  const isTooQuiet = longestQuiet !== undefined && now - newest > longestQuiet
  const isPaused = state !== "open"
  return judge(
    endpoints.length > 0 && away === undefined && !isPaused && !isTooQuiet,
    [
      ...(endpoints.length === 0 ? ["the generation has no endpoint"] : lines),
      isPaused ? `ingress is paused: ${reasons.join(", ")}` : "ingress is open",
      ...(isTooQuiet ? [`expected an event within ${ageOf(longestQuiet)}`] : []),
    ],
    isPaused
      ? "svc ingress status shows who paused it. Run svc ingress resume, or free space on the disk."
      : (away?.remediation ??
          `svc logs --level warn${away === undefined ? "" : `, and the platform of ${away.name}`}.`),
  )
}

export const judgeCapabilities = (
  report: View<"readiness">,
  plugins: readonly View<"plugins">["items"][number][],
  wanted: readonly string[],
  agents: View<"agents">["items"] = [],
): Judgement => {
  const required = report.components.filter(component => component.required)
  const failing = required.filter(component => !component.ready)
  const published = new Set(plugins.flatMap(({capabilities}) => capabilities.map(({id}) => id)))
  const missing = wanted.filter(id => !published.has(id))
  const evidence = [
    `generation ${report.generation ?? "none"}: ${required.length - failing.length} of ${required.length} required components are ready`,
    ...failing.map(({kind, name, reason, message}) => `${kind} ${name}: ${reason ?? "unready"}: ${message}`),
    ...wanted.map(id => `${id}: ${published.has(id) ? "published" : "not published"}`),
    ...agents.flatMap(describeAgent),
    ...(report.lastFailure === undefined ? [] : [`the newest configuration was not committed: ${report.lastFailure}`]),
  ]
  const [first] = failing
  const remediation =
    first?.remediation === undefined ? undefined : `${first.remediation.text} ${first.remediation.command}`
  return judge(
    failing.length === 0 && missing.length === 0 && report.generation !== null,
    evidence,
    remediation ??
      "svc generation list --diff shows what changed; svc generation rollback restores an earlier configuration.",
  )
}

/** What waits for a person at an agent, or failed last. It does not change the answer: the Host runs. */
const describeAgent = ({name, approvals, runs, lastRun}: View<"agents">["items"][number]): readonly string[] => {
  const calls = approvals === 1 ? "a call waits" : `${approvals} calls wait`
  const held = runs.held === 1 ? "a run is" : `${runs.held} runs are`
  const isFailed = lastRun?.state === "failed"
  const said = [
    ...(approvals > 0 ? [`${calls} for approval (svc agent runs --state waiting)`] : []),
    ...(runs.held > 0 ? [`${held} held (svc agent runs --state held)`] : []),
    ...(isFailed ? [`its newest run ${lastRun.runId} failed: ${lastRun.reason ?? "no reason"}`] : []),
  ]
  return said.length === 0 ? [] : [`agent ${name}: ${said.join("; ")}`]
}

export interface Stores {
  readonly status: View<"status">
  /** Undefined if the Host does not have it. */
  readonly history: View<"history"> | undefined
  readonly jobs: View<"jobs"> | undefined
}

/** Returns whether all stores name the authority of the database. */
export const judgeAuthority = ({status, history, jobs}: Stores): Judgement => {
  const {authority, workroom} = status
  const stores: readonly (readonly [evidence: string, agrees: boolean])[] = [
    [`database: ${authority}`, true],
    history === undefined
      ? ["event history: this Host has none", true]
      : [`event history: epoch ${history.epoch}, up to ${history.head}`, history.epoch === epochOf(authority)],
    workroom === undefined
      ? ["workroom Journal: this Host has none", true]
      : [
          `workroom Journal: ${workroom.authority}, up to record ${workroom.seq} (${workroom.store})`,
          workroom.authority === authority,
        ],
    judgeJobs(jobs, authority),
  ]
  return judge(
    stores.every(([, agrees]) => agrees),
    stores.map(([evidence, agrees]) => (agrees ? evidence : `${evidence}: differs`)),
    "Stop the Host and restore all of it from one checkpoint: svc checkpoint list, svc checkpoint restore.",
  )
}

const judgeJobs = (jobs: View<"jobs"> | undefined, authority: string): readonly [string, boolean] => {
  if (jobs === undefined) return ["job file: this Host has none", true]
  const {authority: own, refused} = jobs.file
  if (refused !== undefined && refused !== null) return [`job file: refused: ${refused.detail}`, false]
  if (own === undefined || own === null) return ["job file: names no authority, so it matches any", true]
  return [`job file: ${own}`, own === authority]
}

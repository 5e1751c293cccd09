import {Check} from "typebox/schema"
import {type Static, Type} from "../../../shared/type.ts"
import {readJsonIfExists, writeFileAtomic} from "../../runtime/files.ts"
import {findHolder, type Holder, type LockFiles} from "../../runtime/lock.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

/** `.svc/daemon.json` (0600): the state of the daemon, or why it ended. The file outlives the daemon. */
export const DaemonState = Type.Object({
  pid: Type.Integer(),
  logFile: Type.String(),
  /** How many times it has started the Host. */
  starts: Type.Integer(),
  /** When this state began. */
  since: Type.String(),
  state: Type.Union([
    Type.Object({is: Type.Literal("running"), host: Type.Integer()}),
    Type.Object({is: Type.Literal("waiting"), until: Type.String(), why: Type.String()}),
    Type.Object({is: Type.Literal("ended"), code: Type.Integer(), why: Type.String()}),
  ]),
})
export type DaemonState = Static<typeof DaemonState>

/** The daemon's lock. The kernel releases it when the daemon dies, so a stale pid misleads nobody. */
export const daemonLock = (paths: ProjectPaths): LockFiles => ({lock: paths.daemonLock, holder: paths.daemonHolder})

export const writeDaemonState = (paths: ProjectPaths, state: DaemonState): Promise<void> =>
  writeFileAtomic(paths.daemon, JSON.stringify(state))

/** Resolves to undefined if no daemon has ever run, or if the file is damaged. */
export const readDaemonState = async (paths: ProjectPaths): Promise<DaemonState | undefined> => {
  const json = await readJsonIfExists(paths.daemon)
  return Check(DaemonState, json) ? json : undefined
}

/** Resolves to the running daemon, or to undefined if none runs. */
export const findDaemon = (paths: ProjectPaths): Promise<Holder | undefined> => findHolder(daemonLock(paths))

/** Resolves to why a project's daemon starts no Host now, or to undefined if it has none or its Host was stopped. */
export const whyNoHost = async (paths: ProjectPaths): Promise<string | undefined> => {
  const last = await readDaemonState(paths)
  if (last === undefined) return undefined
  const {state, pid} = last
  const daemon = await findDaemon(paths)
  if (daemon !== undefined) return describeWait(state, daemon.pid)
  if (state.is !== "ended") return `its daemon, pid ${pid}, was killed`
  return state.code === 0 ? undefined : `its daemon has given up: ${state.why}`
}

const describeWait = (state: DaemonState["state"], pid: number): string =>
  state.is === "waiting"
    ? `its daemon, pid ${pid}, will start one at ${state.until}: ${state.why}`
    : `its daemon, pid ${pid}, is starting or stopping one`

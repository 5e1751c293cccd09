import type {ReleaseEntry, ReleaseView} from "../../../shared/api/release.ts"

const begun = (id: string, at: string): ReleaseView => ({
  id,
  state: "beginning",
  beganAt: at,
  endedAt: null,
  restorePoint: null,
  problem: null,
  verification: null,
  acceptedBy: null,
  unverified: null,
  windowEnds: null,
  windowLeft: 0,
  reason: null,
})

const after = (view: ReleaseView, entry: ReleaseEntry): ReleaseView => {
  switch (entry.is) {
    case "beginning":
      return {...view, problem: null}
    case "begin_failed":
      return {...view, problem: {code: entry.code, detail: entry.detail}}
    case "begun":
      return {...view, state: "begun", restorePoint: entry.restorePoint, problem: null}
    case "verified":
      return {...view, verification: entry.verification}
    case "completed": {
      const {acceptedBy, unverified, windowEnds, at} = entry
      return {...view, state: "complete", endedAt: at, acceptedBy, unverified, windowEnds}
    }
    case "aborted":
      return {...view, state: "aborted", endedAt: entry.at, reason: entry.reason}
    case "rolled_back":
      return {...view, state: "rolled_back", endedAt: entry.at}
    case "ingress_resumed":
      return view
  }
}

/** Returns the releases in the record, newest first, with their states at `now` (milliseconds since 1970). */
export const releasesOf = (entries: readonly ReleaseEntry[], now: number): readonly ReleaseView[] => {
  const views = new Map<string, ReleaseView>()
  for (const entry of entries) {
    const known = views.get(entry.release)
    // A rollback without a release under way counts as a separate release.
    if (known === undefined && entry.is !== "beginning" && entry.is !== "rolled_back") continue
    views.set(entry.release, after(known ?? begun(entry.release, entry.at), entry))
  }
  return [...views.values()].reverse().map(view => withWindow(view, now))
}

const withWindow = (view: ReleaseView, now: number): ReleaseView => {
  const left = view.windowEnds === null ? 0 : Math.ceil((Date.parse(view.windowEnds) - now) / 1000)
  return view.state === "complete" && left > 0 ? {...view, state: "observing", windowLeft: left} : view
}

/** Returns the release under way: begun, but neither completed nor aborted. */
export const underWay = (entries: readonly ReleaseEntry[]): ReleaseView | undefined =>
  releasesOf(entries, 0).find(({state}) => state === "beginning" || state === "begun")

/** Returns the checkpoints of the release under way and of each open observation window. */
export const neededCheckpoints = (entries: readonly ReleaseEntry[], now: number): ReadonlySet<string> =>
  new Set(
    releasesOf(entries, now)
      .filter(({state}) => state === "begun" || state === "observing")
      .flatMap(({restorePoint}) => (restorePoint === null ? [] : [restorePoint.checkpoint])),
  )

/** Returns an ended release whose pause of ingress still remains, because the Host died before it resumed ingress. */
export const stillPausing = (entries: readonly ReleaseEntry[]): string | undefined => {
  const last = entries.at(-1)
  return last?.is === "completed" || last?.is === "aborted" ? last.release : undefined
}

import {PageQuery, page} from "../../../shared/api/paging.ts"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {
  AbortRequest,
  BeginRequest,
  CompleteRequest,
  ReleaseVerification,
  ReleaseView,
} from "../../../shared/api/release.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Releases} from "../../recovery/release/releases.ts"
import {pageOf} from "../paging.ts"

const ReleasePage = page(ReleaseView)

export const listReleases = (releases: Releases): Operation => ({
  summary: "Releases and rollbacks, newest first",
  query: PageQuery,
  response: {200: ReleasePage},
  problems: ["release_record_damaged"],
  handle: async (_, call) => call.json(ReleasePage, pageOf(await releases.list(), call)),
})

export const beginRelease = (releases: Releases): Operation => ({
  summary:
    "Begin a release: pause ingress, then make and verify its checkpoint; the first release of the list shows when it has begun",
  body: BeginRequest,
  response: {202: ReleaseView},
  problems: ["release_refused", "checkpoint_busy", "release_record_damaged"],
  handle: async (_, call) => {
    const {externalRestorePoint} = (await call.body()) as Static<typeof BeginRequest>
    return call.json(ReleaseView, await releases.begin(externalRestorePoint), {status: 202})
  },
})

export const recordVerification = (releases: Releases): Operation => ({
  summary: "Record the findings of a verification of the release under way",
  body: ReleaseVerification,
  response: {200: ReleaseView},
  problems: ["release_refused", "release_record_damaged"],
  handle: async (_, call) =>
    call.json(ReleaseView, await releases.verified((await call.body()) as ReleaseVerification)),
})

/** `readiness` returns the current report: only a ready Host can complete a release. */
export const completeRelease = (
  releases: Releases,
  {readiness}: {readonly readiness: () => ReadinessReport},
): Operation => ({
  summary: "Complete the release under way: ingress opens and the observation window begins",
  body: CompleteRequest,
  response: {200: ReleaseView},
  problems: ["release_refused", "release_not_verified", "release_not_ready", "release_record_damaged"],
  handle: async (_, call) =>
    call.json(ReleaseView, await releases.complete((await call.body()) as Static<typeof CompleteRequest>, readiness())),
})

export const abortRelease = (releases: Releases): Operation => ({
  summary: "Abort the release under way: ingress opens",
  body: AbortRequest,
  response: {200: ReleaseView},
  problems: ["release_refused", "release_record_damaged"],
  handle: async (_, call) => {
    const {reason = "no reason given"} = (await call.body()) as Static<typeof AbortRequest>
    return call.json(ReleaseView, await releases.abort(reason))
  },
})

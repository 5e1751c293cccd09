import {PageQuery, page} from "../../../shared/api/pages.ts"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {
  AbortRequest,
  BeginRequest,
  CompleteRequest,
  ReleaseVerification,
  ReleaseView,
} from "../../../shared/api/release.ts"
import type {Releases} from "../../recovery/release/releases.ts"
import {answering, type Operation, pageOf} from "../operations.ts"

const ReleasePage = page(ReleaseView)

export const listReleases = (releases: Releases): Operation => ({
  summary: "Releases and rollbacks, newest first",
  query: PageQuery,
  response: {200: ReleasePage},
  problems: ["release_record_damaged"],
  handle: async (_, call) => call.json(ReleasePage, pageOf(await releases.list(), call)),
})

export const beginRelease = answering({
  summary:
    "Begin a release: pause ingress, then make and verify its checkpoint; the first release of the list shows when it has begun",
  body: BeginRequest,
  answer: ReleaseView,
  status: 202,
  problems: ["release_refused", "checkpoint_busy", "release_record_damaged"],
  run: ({body}, releases: Releases) => releases.begin(body.externalRestorePoint),
})

export const recordVerification = answering({
  summary: "Record the findings of a verification of the release under way",
  body: ReleaseVerification,
  answer: ReleaseView,
  problems: ["release_refused", "release_record_damaged"],
  run: ({body}, releases: Releases) => releases.verified(body),
})

/** `system.readiness` returns the current report: only a ready Host can complete a release. */
export const completeRelease = answering({
  summary: "Complete the release under way: ingress opens and the observation window begins",
  body: CompleteRequest,
  answer: ReleaseView,
  problems: ["release_refused", "release_not_verified", "release_not_ready", "release_record_damaged"],
  run: ({body}, releases: Releases, system: {readonly readiness: () => ReadinessReport}) =>
    releases.complete(body, system.readiness()),
})

export const abortRelease = answering({
  summary: "Abort the release under way: ingress opens",
  body: AbortRequest,
  answer: ReleaseView,
  problems: ["release_refused", "release_record_damaged"],
  run: ({body: {reason = "no reason given"}}, releases: Releases) => releases.abort(reason),
})

import {serve} from "../../../shared/api/operations/operation.ts"
import {releaseOperations} from "../../../shared/api/operations/recovery.ts"
import type {ReadinessReport} from "../../../shared/api/readiness.ts"
import {pageOf} from "../../database/lists/pages.ts"
import type {Releases} from "../release/releases.ts"

/** `readiness` returns the current report: only a ready Host can complete a release. */
export const releaseRoutes = (releases: Releases, {readiness}: {readonly readiness: () => ReadinessReport}) =>
  serve(releaseOperations, {
    list: async asked => pageOf(await releases.list(), asked),
    begin: ({body}) => releases.begin(body.externalRestorePoint),
    verified: ({body}) => releases.verified(body),
    complete: ({body}) => releases.complete(body, readiness()),
    abort: ({body: {reason = "no reason given"}}) => releases.abort(reason),
  })

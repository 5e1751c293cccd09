import {Option} from "clipanion"
import {ReleaseRecord, releasesOf} from "../../server/recovery/release/record.ts"
import {readPrepared} from "../../server/recovery/release/verification/prepared.ts"
import {projectPaths} from "../../server/runtime/project.ts"
import {describePrepared, describeRelease, verdict} from "../kit/release/view.ts"
import {rowCommand, tableOf} from "../kit/rows.ts"
import {environment} from "../kit/stoppable-command.ts"

/** Reads the record of a project, and the releases in it, newest first. */
const readReleases = async (folder: string) => {
  const entries = await new ReleaseRecord(projectPaths(folder).releases).read()
  return {releases: releasesOf(entries, Date.now()), entries}
}

export const abort = rowCommand({
  description: "abort the release under way and open ingress again",
  details: "This undoes nothing: if the new version has already run, go back with `svc rollback <checkpoint>`.",
  examples: [["Abort and record the reason", 'svc release abort --reason "the tests fail"']],
  options: {environment, reason: Option.String("--reason", {description: "The reason, for the record"})},
  run: async given =>
    given.show(await given.post("/api/releases/abort", {body: {reason: given.reason}}), describeRelease),
})

export const complete = rowCommand({
  description: "complete a release: open ingress again and begin the observation window",
  details: `
      Records the name of the person who checked the new version in the console and accepted it. The Host must be ready, as reported by \`svc doctor --live\`. It must run exactly the build that passed \`svc release verify\`: the same commit, lockfile, svc and plugin contents.

      The checkpoint of the release is not pruned until the observation window ends.
    `,
  examples: [
    ["Accept and complete", "svc release complete --accepted-by dana"],
    ["Observe for a weekend", "svc release complete --accepted-by dana --window 72h"],
    [
      "For an image that its own pipeline has tried",
      'svc release complete --accepted-by dana --unverified "tried by the image pipeline"',
    ],
  ],
  options: {
    environment,
    acceptedBy: Option.String("--accepted-by", {required: true, description: "Who accepted it in the console"}),
    window: Option.String("--window", {description: "How long to observe it, such as 24h (default: releases.window)"}),
    unverified: Option.String("--unverified", {description: "Complete without a verification, and record this reason"}),
  },
  run: async given => {
    const {acceptedBy, window, unverified} = given
    given.show(await given.post("/api/releases/complete", {body: {acceptedBy, window, unverified}}), describeRelease)
  },
})

export const history = rowCommand({
  description: "list all releases and rollbacks, newest first",
  details: "With `--json` the output also has every entry of the record.",
  examples: [["All releases, with their dates and who accepted them", "svc release history"]],
  options: {environment},
  run: async given =>
    given.show(await readReleases(given.folder), ({releases}) =>
      tableOf(
        {
          release: ({id}) => id,
          state: ({state}) => state.replace("_", " "),
          began: ({beganAt}) => beganAt,
          ended: ({endedAt}) => endedAt,
          checkpoint: ({restorePoint}) => restorePoint?.checkpoint,
          "commit before": ({restorePoint}) => restorePoint?.commit?.slice(0, 12),
          verified: release => (release.unverified === null ? verdict(release) : "unverified"),
          "accepted by": ({acceptedBy}) => acceptedBy,
        },
        releases,
      ),
    ),
})

export const status = rowCommand({
  description: "show the newest release, the time left in its observation window, and what is prepared",
  examples: [["The newest release", "svc release status"]],
  options: {environment},
  run: async given => {
    const {
      releases: [newest = null],
    } = await readReleases(given.folder)
    const prepared = (await readPrepared(projectPaths(given.folder))) ?? null
    const shown = newest === null ? "there has been no release yet (svc release begin)" : describeRelease(newest)
    given.show({release: newest, prepared}, () =>
      prepared === null ? shown : `${shown}\n${describePrepared(prepared)}`,
    )
  },
})

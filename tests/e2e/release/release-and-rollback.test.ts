import {copyFileSync} from "node:fs"
import {DatabaseSync} from "node:sqlite"
import {describe, expect, test} from "vitest"
import type {ReleaseView} from "../../../shared/api/release.ts"
import {readEvents} from "../../support/events/reader.ts"
import {printed, printedJson} from "../../support/host/command-line.ts"
import {onBun, type Project, pathWith, runtimes, startHost, type TestHost, until} from "../../support/host/host.ts"
import {textsOf} from "../../support/messages/messages.ts"
import {makeUpgradable, versions} from "../../support/release/upgrade.ts"
import {allSteps, beginRelease, verifyRelease} from "../../support/release/verifications.ts"

const titlesOf = async (host: TestHost) => (await host.get("/api/workroom/items")).items.map(({title}) => title).sort()

/** The columns of the plugin's table, in the project's database or in a checkpoint's. The Host may be writing. */
const columnsOf = (project: Project, checkpoint?: string) => {
  const place = checkpoint === undefined ? ".svc/data.sqlite" : `.svc/checkpoints/${checkpoint}/database.sqlite`
  const file = project.path(".svc/looked-at.sqlite")
  // Opening a checkpoint's file would change it, so use a copy.
  if (checkpoint !== undefined) copyFileSync(project.path(place), file)
  const options = {readOnly: true, timeout: 60_000}
  const database = new DatabaseSync(checkpoint === undefined ? project.path(place) : file, options)
  const rows = database.prepare("SELECT name FROM pragma_table_info('p_notes_notes')").all()
  database.close()
  return rows.map(({name}) => name)
}

const idsOf = async (host: TestHost) =>
  (await host.get("/api/events/history", {limit: 500})).items
    .map(({id}) => id)
    .sort((one, other) => Number(one.split("-")[1]) - Number(other.split("-")[1]))

describe.each(runtimes.filter(({name}) => name !== "node22"))("on $name", runtime => {
  test("a release with a schema change and its rollback lose nothing from before the checkpoint", async () => {
    const {project, next, upgrade} = makeUpgradable()
    const first = await startHost({project, runtime})
    const client = await readEvents(first)
    expect(await first.say("hello")).toEqual(["one hello"])
    await printed(project, ["workroom", "add", "First"], runtime)
    const begun = await beginRelease(project, runtime)
    expect(begun).toMatchObject({state: "begun", restorePoint: {commit: project.git("rev-parse", "HEAD")}})
    const verified = await verifyRelease(project, "next", runtime, {PATH: pathWith(onBun)})
    expect(verified).toMatchObject({code: 0, marks: allSteps, release: {verification: {commit: next, ok: true}}})
    expect(columnsOf(project, begun.restorePoint?.checkpoint)).toEqual(["text"])
    await until("the client to receive the event", () =>
      client.envelopes().some(({type}) => type === "release.verified"),
    )
    await first.stop()
    await until("the stream to end", client.isEnded)

    expect(upgrade()).toBe(next)
    const second = await startHost({project, runtime})
    const resumed = await readEvents(second, {cursor: client.lastId() ?? ""})
    expect((await second.fetch("/pub/ready")).status).toBe(200)
    await printed(project, "release complete --accepted-by dana", runtime)
    expect(await second.say("world")).toEqual(["two world"])
    await printed(project, ["workroom", "add", "Second"], runtime)
    expect(columnsOf(project)).toEqual(["text", "length"])
    const all = await idsOf(second)
    const last = all.at(-1) ?? ""
    await until("the client to receive the last event", () => resumed.envelopes().some(({id}) => id === last))
    const heard = [...client.envelopes(), ...resumed.envelopes()].map(({id}) => id)
    expect(heard.slice(0, heard.indexOf(last) + 1)).toEqual(all.slice(all.indexOf(heard[0] ?? "")))
    expect(resumed.gaps()).toEqual([])
    const before = {texts: (await textsOf(second)).toSorted(), titles: await titlesOf(second)}
    expect(before).toEqual({texts: ["hello", "world"], titles: ["First", "Second"]})
    await second.stop()

    const line = `rollback ${begun.restorePoint?.checkpoint} --accept-side-effects`
    const {proof} = await printedJson<{proof: {matches: boolean; changes: string[]; authority: {after: string}}}>(
      project,
      line,
      runtime,
    )
    expect(proof).toMatchObject({matches: true, changes: []})
    expect(columnsOf(project)).toEqual(["text"])
    expect([project.read("bun.lock"), project.read("svc.config.yml")]).toEqual([
      versions.one.lockfile,
      versions.one.config,
    ])
    const third = await startHost({project, runtime})
    const {authority} = await third.get("/api/system/status")
    expect(authority).toBe(proof.authority.after)
    const late = await readEvents(third, {cursor: resumed.lastId() ?? ""})
    await until("the gap", () => late.gaps().length > 0)
    expect(late.gaps()).toMatchObject([{reason: "epoch_changed"}])
    expect(await textsOf(third)).toEqual(["hello"])
    expect(await titlesOf(third)).toEqual(["First"])
    // Ingress was paused when the checkpoint was made, so it stays paused until an operator resumes it.
    await printed(project, "ingress resume --reason release", runtime)
    expect(await third.say("again")).toEqual(["one again"])
    const {releases} = await printedJson<{releases: ReleaseView[]}>(project, "release history", runtime)
    expect(releases).toMatchObject([{id: begun.id, state: "rolled_back", acceptedBy: "dana"}])
  })
})

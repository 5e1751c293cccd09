import {expect, test} from "vitest"
import {open} from "../../support/database/databases.ts"
import {makeProject, type Project, printedJson, restore, until} from "../../support/host/host.ts"
import {secrets, startWebhookHost} from "../../support/webhooks/host.ts"

const inboxOf = async (project: Project): Promise<readonly (readonly [number, string])[]> => {
  const database = await open({dialect: "sqlite", file: project.path(".svc/data.sqlite")})
  const rows = await database.read("SELECT seq, event_id FROM inbox ORDER BY seq")
  await database.close()
  return rows.map(({seq, event_id}) => [Number(seq), String(event_id)])
}

test("a checkpoint made under webhook traffic holds exactly the events acknowledged up to its marker", async () => {
  const {host, say} = await startWebhookHost({files: {".env": `HTTP_TOKEN=${secrets.HTTP_TOKEN}\n`}})
  const sent: string[] = []
  const acknowledged = new Set<string>()
  let isOver = false
  const partner = async (name: string) => {
    for (let number = 1; !isOver; number++) {
      const id = `${name}-${number}`
      sent.push(id)
      const response = await say({type: "message", channel: "c", user: name, text: id}, id)
      if (response.ok) acknowledged.add(id)
      await response.arrayBuffer()
    }
  }
  const partners = Promise.all(["ada", "ben", "cem", "dia"].map(partner))
  const made: {archive: string; before: readonly string[]; sentBy: ReadonlySet<string>}[] = []
  const moreAcknowledged = () => {
    const before = sent.length
    return until("the events sent from now on to be acknowledged", () => acknowledged.size > before)
  }
  for (let round = 0; round < 3; round++) {
    await moreAcknowledged()
    const archive = host.project.path(`${round}.tar`)
    const before = [...acknowledged]
    await printedJson(host.project, `checkpoint create --output ${archive}`)
    made.push({archive, before, sentBy: new Set(sent)})
  }
  await moreAcknowledged()
  isOver = true
  await partners
  await host.stop()
  const all = await inboxOf(host.project)
  expect(new Set(all.map(([, id]) => id))).toEqual(acknowledged)
  let earlier = 0
  for (const {archive, before, sentBy} of made) {
    const copy = makeProject({files: {".env": `HTTP_TOKEN=${secrets.HTTP_TOKEN}\n`}})
    await restore(copy, archive)
    const held = await inboxOf(copy)
    // The copy has no holes, and no events from after the checkpoint.
    expect(held).toEqual(all.slice(0, held.length))
    const ids = new Set(held.map(([, id]) => id))
    expect(before.filter(id => !ids.has(id))).toEqual([])
    expect([...ids].filter(id => !sentBy.has(id))).toEqual([])
    expect(held.length).toBeGreaterThan(earlier)
    earlier = held.length
  }
  expect(all.length).toBeGreaterThan(earlier)
})

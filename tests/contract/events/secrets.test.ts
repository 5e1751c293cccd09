import {expect, test} from "vitest"
import {Envelopes} from "../../../server/events/envelope.ts"
import {ErrorEvents} from "../../../server/events/errors.ts"
import {EventLog} from "../../../server/events/log.ts"
import {telling} from "../../../server/events/telling.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {localDatabase, open} from "../../support/database/databases.ts"

const secret = "f3Kp0sVtQ8yJ2mZw7LrXc5HbNd1GaEuT"

/** Texts that are long enough to be cut at 1,000 characters, with the cut at each character of the secret. */
const across = Array.from(secret, (_, at) => `${"x".repeat(1000 - at)}${secret}${"y".repeat(20_000)}`)

/** Part of the secret, long enough to help an attacker guess it. */
const part = new RegExp(Array.from({length: secret.length - 3}, (_, at) => secret.slice(at, at + 4)).join("|"))

const opened = async () => {
  const database = await open(await localDatabase())
  const logs = createLogs({level: "info", format: "json", colors: false, write: () => {}})
  logs.hide([secret])
  const events = new EventLog(database, logs.log, logs.scrubJson)
  await events.start()
  const envelopes = new Envelopes({epoch: "3aa44cb96936", project: "test", hide: logs.scrubJson})
  const stored = () => events.read(0, 1000)
  const shown = async () => (await stored()).map(event => envelopes.text(event, "full"))
  return {database, logs, events, stored, shown}
}

const failed = (detail: string) => ({checkpoint: "c1", code: "checkpoint_failed", detail})

test("text stored with a change and cut for display shows no part of a secret", async () => {
  const {database, shown} = await opened()
  await database.write(across.map(detail => telling("checkpoint.failed", failed(detail))))
  const texts = await shown()
  expect(texts).toHaveLength(secret.length)
  expect(texts.filter(text => part.test(text))).toEqual([])
  expect(Math.max(...texts.map(text => text.length))).toBeLessThan(1500)
})

test("text that is masked before storing leaves no part of a secret in the database", async () => {
  const {database, logs, stored} = await opened()
  await database.write(across.map(detail => telling("checkpoint.failed", failed(detail), {}, logs.scrubJson)))
  const rows = await stored()
  expect(rows).toHaveLength(secret.length)
  expect(rows.filter(({data}) => part.test(data))).toEqual([])
  expect(Math.max(...rows.map(({data}) => data.length))).toBeLessThan(1500)
})

test("a logged error that becomes an event has no part of a secret", async () => {
  const {logs, events, stored} = await opened()
  logs.onError(record => {
    // Each record has its own `ErrorEvents`, so that none is suppressed as part of a storm.
    const data = new ErrorEvents().take(record)
    if (data !== undefined) events.raise("log.error", data)
  })
  for (const message of across) logs.log.error(message)
  await events.idle()
  const rows = await stored()
  expect(rows).toHaveLength(secret.length)
  expect(rows.filter(({data}) => part.test(data))).toEqual([])
})

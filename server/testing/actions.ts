import {v7 as uuid} from "uuid"
import type {Host} from "../host/host.ts"
import {askFor, until} from "./asking.ts"

export interface TestFile {
  /** `file` with a number when left out. */
  readonly name?: string
  /** Its MIME type: `image/…` makes it an `img`, `audio/…` and `video/…` what they say, all else a `file`. */
  readonly type?: string
  /** A text is sent in UTF-8. */
  readonly bytes: Uint8Array | string
}

export interface SayOptions {
  /** Who is writing; `tester` when left out. */
  readonly user?: string
  readonly channel?: string
  /** In a channel with others: only commands with a prefix or the bot's name are for the bot. */
  readonly group?: boolean
  /** Sent with the text: 512 KiB together. */
  readonly files?: readonly TestFile[]
}

export interface FireOptions {
  /** What a scheduled job would hand over; checked by the job's schema. */
  readonly data?: unknown
  /** The name of the plugin that declares it; the only plugin under test when left out. */
  readonly plugin?: string
}

/** A message that a job has sent. */
export interface Sent {
  readonly endpoint: string
  readonly channel: string
  readonly text: string
}

/** How long an end is waited for, in milliseconds: longer than a handler may take. */
const patience = 70_000

const untilTrue = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  await until<true>(what, patience, async () => (await holds()) || undefined)
}

export const online = (host: Host): Promise<void> =>
  untilTrue("the sandbox", () => host.endpoints.get("sandbox")?.state.is === "online")

/** Says something in the sandbox; resolves to the replies, as plain text. */
export const say = async (
  host: Host,
  text: string,
  {user = "tester", channel = "test", group, files = []}: SayOptions = {},
): Promise<readonly string[]> => {
  const base = "/api/plugins/sandbox/messages"
  const said = {
    text,
    user,
    channel,
    ...(group === undefined ? {} : {group}),
    ...(files.length === 0 ? {} : {files: files.map(encodeFile)}),
  }
  const {sn} = await ask<{readonly sn: number}>(host, base, said)
  const open = async (sql: string) => (await host.database.read(sql, [sn])).length > 0
  await untilTrue(
    "its handlers",
    async () => !(await open("SELECT 1 FROM inbox_marks WHERE seq = ? AND state IN ('pending', 'running')")),
  )
  await untilTrue(
    "the replies",
    async () => !(await open("SELECT 1 FROM outbox WHERE inbox_seq = ? AND state IN ('queued', 'sending')")),
  )
  const ids = new Set(
    (await host.database.read("SELECT id FROM outbox WHERE inbox_seq = ?", [sn])).map(({id}) => String(id)),
  )
  const {items} = await ask<{readonly items: readonly {readonly id: string; readonly text: string}[]}>(
    host,
    `${base}?channel=${encodeURIComponent(channel)}`,
  )
  return items.filter(({id}) => ids.has(id)).map(message => message.text)
}

const encodeFile = ({name, type, bytes}: TestFile, index: number) => ({
  name: name ?? `file ${index + 1}`,
  ...(type === undefined ? {} : {type}),
  data: Buffer.from(bytes).toString("base64"),
})

/**
 * Runs a plugin's job once, as `svc schedule run` does, by a scheduled job that exists for so long; resolves to what it has
 * sent once that is sent. Rejects where the run does not succeed, with its error.
 */
export const fire = async (
  host: Host,
  job: string,
  {plugin, data}: {readonly plugin: string; readonly data?: unknown},
): Promise<readonly Sent[]> => {
  const id = `test-${uuid()}`
  const target = {plugin, job, ...(data === undefined ? {} : {data})}
  await ask(host, "/api/jobs", {id, schedule: {at: "2999-01-01T00:00"}, timezone: "UTC", target})
  const [before] = await host.database.read("SELECT coalesce(max(seq), 0) AS seq FROM outbox")
  try {
    const run = await ask<{readonly id: string}>(host, `/api/jobs/${id}/run`, {})
    await requireSuccess(host, job, run.id)
  } finally {
    await ask(host, `/api/jobs/${id}/remove`, {})
  }
  return sentSince(host, Number(before?.seq))
}

const requireSuccess = async (host: Host, job: string, runId: string): Promise<void> => {
  const read = async () =>
    (await host.database.read("SELECT state, reason, error FROM job_runs WHERE run_id = ?", [runId]))[0]
  await untilTrue(`job ${job}`, async () => !["queued", "running"].includes(String((await read())?.state)))
  const {state, reason, error} = (await read()) ?? {}
  if (state !== "succeeded") throw new Error(`job ${job} ${state}: ${error ?? reason}`)
}

/** What no message of the inbox is answered with, in its order. */
const sentSince = async (host: Host, seq: number): Promise<readonly Sent[]> => {
  const read = (more: string) =>
    host.database.read(`SELECT id FROM outbox WHERE seq > ? AND inbox_seq IS NULL ${more} ORDER BY seq`, [seq])
  await untilTrue("what the job sends", async () => (await read("AND state IN ('queued', 'sending')")).length === 0)
  const rows = await read("")
  const views = await Promise.all(rows.map(({id}) => ask<Sent>(host, `/api/outbox/${id}`)))
  return views.map(({endpoint, channel, text}) => ({endpoint, channel, text}))
}

const ask = <T>(host: Host, path: string, body?: unknown): Promise<T> =>
  askFor({url: host.url, token: host.token?.reveal() ?? ""}, path, body)

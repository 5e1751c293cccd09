import assert from "node:assert/strict"
import {createHash} from "node:crypto"
import {readText} from "../../../shared/sdk/adapter/answer.ts"
import {readBytes} from "../asking.ts"
import {type Check, unnamed, where} from "./check.ts"
import type {HostUnderTest} from "./host-under-test.ts"
import type {FileUnderTest} from "./platform.ts"
import type {EndpointState, Trial} from "./trial.ts"

/** In bytes: several chunks of a stream, but small enough for platforms. */
const usualSize = 300_000

/** Returns the same bytes each time, without repetition. */
const bytesOf = (size: number): Uint8Array<ArrayBuffer> => {
  const blocks = Array.from({length: Math.ceil(size / 32)}, (_, n) => createHash("sha256").update(String(n)).digest())
  return Uint8Array.from(Buffer.concat(blocks).subarray(0, size))
}

const loginOf = ({login}: EndpointState): {readonly platform: string; readonly user: string} | undefined =>
  login?.platform === undefined || login.user === undefined
    ? undefined
    : {platform: login.platform, user: login.user.id}

/** Stores a file in the Host as an application does. Resolves to its link. */
const store = async (
  host: HostUnderTest,
  about: EndpointState,
  {name, type, bytes}: FileUnderTest,
): Promise<string> => {
  const login = loginOf(about)
  const form = new FormData()
  form.append("file", new Blob([Uint8Array.from(bytes)], {type}), name)
  const answer = await fetch(`${host.url}/satori/v1/upload.create`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${host.token}`,
      "satori-platform": login?.platform ?? "",
      "satori-user-id": login?.user ?? "",
    },
    body: form,
  })
  const text = await readText(answer)
  assert.ok(answer.ok, `the Host must store the file, but answered ${answer.status}: ${text}`)
  return (JSON.parse(text) as {readonly file: string}).file
}

const takesNoFiles = (about: EndpointState) => unnamed(about, "files")

const sendsFiles = where(takesNoFiles, async (trial, host, about) => {
  if (loginOf(about) === undefined) return "the adapter did not call endpoint.login"
  const file = {
    name: "report.pdf",
    type: "application/pdf",
    bytes: bytesOf(Math.min(about.limits.file ?? usualSize, usualSize)),
  }
  const link = await store(host, about, file)
  const content = `<file src="${link}"/>`
  const sent = await trial.satori(host, "message.create", {channel_id: trial.platform.channel, content})
  const text = await readText(sent)
  assert.ok(sent.ok, `message.create answered ${sent.status}: ${text}`)
  const [message] = JSON.parse(text) as readonly {readonly id: string}[]
  await trial.untilSent(host, message?.id ?? "", "sent")
  const heard = await trial.until("the message to arrive", async () => (await trial.heard())[0])
  if (heard.files === undefined) return "platform.heard shows no files"
  const [shown, ...more] = heard.files
  assert.ok(shown !== undefined && more.length === 0, "a message with a file must arrive with one file")
  assert.equal(shown.name, file.name, "a file must arrive under its name")
  assert.equal(shown.bytes.length, file.bytes.length, "a file must arrive complete: send all that stream() returns")
  assert.ok(Buffer.from(shown.bytes).equals(file.bytes), "a file must arrive with the same bytes")
  return undefined
})

const handsNoFilesOver = (about: EndpointState) => unnamed(about, "download")

const readsFiles = where(handsNoFilesOver, async (trial, host, about) => {
  const {platform} = trial
  if (platform.sayFile === undefined) return "users of the platform send no files: set platform.sayFile"
  const login = loginOf(about)
  if (login === undefined) return "the adapter did not call endpoint.login"
  const file = {name: "report.pdf", type: "application/pdf", bytes: bytesOf(usualSize)}
  const before = await lastEvent(trial, host)
  await platform.sayFile(file, trial.address)
  const {seq, content} = await trial.until("the event of the file in the inbox", async () => {
    const last = await lastEvent(trial, host)
    return last?.seq === before?.seq ? undefined : last
  })
  assert.match(content, /<(img|audio|video|file)[\s/>]/, "a received file must be an element: make it with fileElement")
  const size = /\ssize="?(\d+)/.exec(content)?.[1]
  if (size !== undefined) assert.equal(Number(size), file.bytes.length, "the size of a file must be that of its bytes")
  const link = `internal:${encodeURIComponent(login.platform)}/${encodeURIComponent(login.user)}/_svc/events/${seq}/0/file`
  const answer = await fetch(`${host.url}/satori/v1/proxy/${link}`, {headers: {authorization: `Bearer ${host.token}`}})
  const read = Buffer.from(await readBytes(answer))
  assert.ok(answer.ok, `download must open the file, but the Host answered ${answer.status}: ${read.toString()}`)
  assert.equal(read.length, file.bytes.length, "download must return the complete file")
  assert.ok(read.equals(file.bytes), "download must return the file with the same bytes")
  return undefined
})

const lastEvent = async (trial: Trial, host: HostUnderTest) => {
  const {items} = await host.api.get("/api/inbox", {limit: 10})
  const found = items.find(({endpoint, event}) => endpoint === trial.endpoint && event.message !== undefined)
  return found === undefined ? undefined : {seq: found.seq, content: found.event.message?.content ?? ""}
}

/** The checks by what they prove about the adapter; part of `allChecks`. */
export const fileChecks: Readonly<Record<string, Check>> = {
  "sends a complete file under its name": sendsFiles,
  "reads the files of received messages": readsFiles,
}

import {expect, test} from "vitest"
import {withUploads} from "../../../server/endpoints/uploads.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {h, type Node} from "../../../shared/sdk/content/elements.ts"
import type {StoredFile} from "../../../shared/sdk/content/file-source.ts"

const {signal} = new AbortController()

const stored = (sha256: string, name: string): StoredFile => ({
  sha256,
  name,
  size: 1,
  type: "text/plain",
  stream: () => new Response("x").body ?? new ReadableStream(),
})

const make = (upload: NonNullable<Sender["upload"]>) => {
  const told: unknown[] = []
  const sender: Sender = {
    send: async ({channel, content}) => {
      told.push(["send", channel, content])
      return {ids: ["1"]}
    },
    edit: async ({channel, content}) => void told.push(["edit", channel, content]),
    upload: async (file, signal) => {
      told.push(["upload", file.channel, file.file.name])
      return upload(file, signal)
    },
  }
  const open = async ({attrs: {src, title}}: {attrs: Readonly<Record<string, unknown>>}) =>
    String(src).startsWith("stored:") ? stored(String(src), String(title)) : undefined
  const outgoing = (content: readonly Node[]) => ({id: "1", channel: "room", message: "m", content})
  return {told, outgoing, sender: withUploads(sender, open)}
}

const show = (src: string, title: string) => h("file", {src, title})

test("each file is uploaded once before its message, which has the platform's addresses", async () => {
  const {told, outgoing, sender} = make(async ({file}) => `mxc:${file.sha256}`)
  const content = [
    "see",
    h("b", show("stored:1", "a")),
    show("stored:1", "a"),
    show("https://x", "b"),
    show("stored:2", "c"),
  ]
  expect(await sender.send(outgoing(content), signal)).toEqual({ids: ["1"]})
  await sender.edit?.(outgoing([show("stored:2", "c")]), signal)
  expect(told).toEqual([
    ["upload", "room", "a"],
    ["upload", "room", "c"],
    [
      "send",
      "room",
      [
        "see",
        h("b", show("mxc:stored:1", "a")),
        show("mxc:stored:1", "a"),
        show("https://x", "b"),
        show("mxc:stored:2", "c"),
      ],
    ],
    ["upload", "room", "c"],
    ["edit", "room", [show("mxc:stored:2", "c")]],
  ])
})

test.each([
  [async () => Promise.reject(new Error("too busy")), /too busy/],
  [async () => "", /did not resolve to an address/],
  [async () => ({url: "x"}) as never, /did not resolve to an address/],
])("without the file the message is not sent: %s", async (upload, why) => {
  const {told, outgoing, sender} = make(upload)
  await expect(sender.send(outgoing([show("stored:1", "a")]), signal)).rejects.toThrow(why)
  expect(told).toEqual([["upload", "room", "a"]])
})

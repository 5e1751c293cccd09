import {mkdirSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {manifestName, sealManifest} from "../../../server/recovery/checkpoint/manifest.ts"
import {pruneCheckpoints} from "../../../server/recovery/checkpoint/prune.ts"
import {CheckpointStore} from "../../../server/recovery/checkpoint/store.ts"
import {sha256Of} from "../../../server/runtime/files.ts"
import type {Verification} from "../../../shared/api/checkpoint.ts"
import {makeFolder} from "../../support/host/project.ts"

const hash = "0".repeat(64)

const manifestOf = (id: string) =>
  sealManifest({
    format: 1,
    id,
    createdAt: "2026-11-21T10:15:00.000Z",
    reason: "operator",
    project: "bot",
    authority: "one",
    runtimeId: null,
    generation: 1,
    version: "0.1.0",
    code: {commit: null, clean: null, image: null},
    configuration: {file: "svc.config.yml", sha256: hash},
    lockfile: null,
    database: {dialect: "sqlite", schema: 1, file: "data.sqlite", restorePoint: null},
    parts: {},
    secrets: [],
    files: [],
  })

const verificationOf = (id: string, ok = true): Verification => ({
  at: "2026-11-21T10:16:00.000Z",
  ok,
  findings: [],
  warnings: [],
  manifest: sha256Of(manifestOf(id)),
  seconds: 1,
})

const write = (folder: string, id: string) => {
  mkdirSync(folder, {recursive: true})
  writeFileSync(join(folder, manifestName), manifestOf(id))
}

/** Ids by number; the highest is the newest. */
const idOf = (number: number) => `2026112${number}-101500-00000${number}`

const makeStore = async (own: readonly number[], uploaded: readonly number[], unsound: readonly number[] = []) => {
  const store = new CheckpointStore(makeFolder())
  for (const id of [...own, ...unsound].map(idOf)) {
    write(store.folderOf(id), id)
    await store.keepVerification(id, verificationOf(id, own.map(idOf).includes(id)))
  }
  for (const id of uploaded.map(idOf)) {
    const folder = join(store.root, `.${id}.tmp`)
    write(folder, id)
    await store.adopt(id, folder, verificationOf(id))
  }
  return store
}

test("uploaded checkpoints do not displace local ones, and are counted separately", async () => {
  const store = await makeStore([1, 2, 3], [7, 8, 9])
  expect(await pruneCheckpoints(store, {keep: 2})).toEqual([7, 1].map(idOf))
  expect(await store.ids()).toEqual([9, 8, 3, 2].map(idOf))
})

test("the newest verified local checkpoint stays, however many uploaded ones are newer", async () => {
  const store = await makeStore([1], [8, 9], [2, 3])
  expect((await store.newestVerified())?.id).toBe(idOf(1))
  expect(await pruneCheckpoints(store, {keep: 1})).toEqual([8, 2].map(idOf))
  expect((await store.newestVerified())?.id).toBe(idOf(1))
})

test("newest never names an uploaded checkpoint", async () => {
  expect((await (await makeStore([1], [9])).get("newest")).id).toBe(idOf(1))
  await expect((await makeStore([], [9])).get("newest")).rejects.toMatchObject({
    code: "checkpoint_unknown",
    message: expect.stringContaining("uploaded"),
  })
})

test("the marks of an upload that was never stored, and of a removed one, are deleted", async () => {
  const store = await makeStore([], [9])
  writeFileSync(join(store.root, `${idOf(5)}.uploaded.json`), "{}")
  await store.cleanUp()
  expect((await store.get(idOf(9))).uploadedAt).toEqual(expect.any(String))
  await store.remove(idOf(9))
  expect(await store.list()).toEqual({checkpoints: [], damaged: []})
  write(store.folderOf(idOf(9)), idOf(9))
  expect((await store.get(idOf(9))).uploadedAt).toBeUndefined()
})

import {cpSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {parseManifest, sealManifest} from "../../../server/recovery/checkpoint/manifest.ts"
import {CheckpointStore} from "../../../server/recovery/checkpoint/store.ts"
import {verifyCheckpoint} from "../../../server/recovery/verify/verify.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {Chance, makeCheckpoint, makeFolder, plainConfig, startHost} from "../../support/host/host.ts"
import {faultRun, tellHowToRepeat} from "../../support/machine/fault-run.ts"

type Change = (folder: string, manifest: Manifest, chance: Chance) => void

const write = (folder: string, text: string) => writeFileSync(join(folder, "manifest.json"), text)

/** Changes the manifest and seals it again, as an attacker could. */
const forged =
  (change: (manifest: Manifest, chance: Chance) => object): Change =>
  (folder, manifest, chance) => {
    const {seal: _, ...rest} = {...manifest, ...change(manifest, chance)}
    write(folder, sealManifest(rest))
  }

const someFile = (manifest: Manifest, chance: Chance) =>
  chance.pick([...manifest.files.map(({path}) => path), "manifest.json"])

const replaced = (manifest: Manifest, chance: Chance, change: object) => {
  const index = chance.below(manifest.files.length)
  return {files: manifest.files.map((file, each) => (each === index ? {...file, ...change} : file))}
}

const changes: Readonly<Record<string, Change>> = {
  "one bit": (folder, manifest, chance) => {
    const path = join(folder, someFile(manifest, chance))
    const bytes = readFileSync(path)
    const at = chance.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << chance.below(8))
    writeFileSync(path, bytes)
  },
  "cut short": (folder, manifest, chance) => {
    const path = join(folder, someFile(manifest, chance))
    truncateSync(path, chance.below(statSync(path).size))
  },
  "bytes appended": (folder, manifest, chance) => {
    const path = join(folder, someFile(manifest, chance))
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(1 + chance.below(5000))]))
  },
  "a field of the manifest": (folder, _, chance) => {
    const text = readFileSync(join(folder, "manifest.json"), "utf8")
    const lines = text.split("\n")
    const at = 1 + chance.below(lines.length - 3)
    write(
      folder,
      chance.below(2) === 0 ? lines.toSpliced(at, 1).join("\n") : text.replace(lines[at] ?? "", `${lines[at]} `),
    )
  },
  "another hash, sealed": forged((manifest, chance) => replaced(manifest, chance, {sha256: "0".repeat(64)})),
  "another size, sealed": forged((manifest, chance) => replaced(manifest, chance, {size: 1 + chance.below(9)})),
  "another authority, sealed": forged(() => ({authority: "00000000-0000-0000-0000-000000000000"})),
  "another schema, sealed": forged(({database}, chance) => ({
    database: {...database, schema: database.schema + 1 + chance.below(5)},
  })),
  "another generation, sealed": forged(({generation}) => ({generation: (generation ?? 0) + 1})),
  "another time, sealed": forged((_, chance) => ({createdAt: new Date(chance.below(1e9) * 1000).toISOString()})),
  "another id, sealed": forged(() => ({id: "20200101-000000-000000"})),
  "another part, sealed": forged(() => ({parts: {jobs: {sha256: "0"}}})),
  "a newer format": forged(({format}, chance) => ({format: format + 1 + chance.below(3)})),
  "a path that leads out": forged((manifest, chance) =>
    replaced(manifest, chance, {
      path: chance.pick(["../svc.config.yml", "/etc/passwd", "a/../../b", "", ".env", "a//b"]),
    }),
  ),
  "a file twice": forged(manifest => ({files: [...manifest.files, ...manifest.files.slice(0, 1)]})),
  "a file too few in the manifest": forged((manifest, chance) => ({
    files: manifest.files.toSpliced(chance.below(manifest.files.length), 1),
  })),
  "a link": (folder, manifest, chance) => {
    const path = join(folder, someFile(manifest, chance))
    renameSync(path, `${folder}-moved`)
    symlinkSync(`${folder}-moved`, path)
  },
  "a file too many": (folder, _, chance) =>
    writeFileSync(join(folder, chance.pick([".env", "x", "database.sqlite-wal"])), "x"),
  "a file too few": (folder, manifest, chance) => rmSync(join(folder, someFile(manifest, chance))),
}

const run = faultRun("checkpoint-changes")
const {rounds, seed} = run

test(
  `verification rejects all of ${rounds} damaged checkpoints, and accepts the original`,
  async () => {
    tellHowToRepeat(run)
    const host = await startHost({config: plainConfig, files: {"bun.lock": "locked"}})
    await host.say("hello")
    const {id} = await makeCheckpoint(host.project)
    await host.stop()
    const original = host.project.path(".svc/checkpoints", id)
    const root = makeFolder()
    const accepts = async (): Promise<boolean> => {
      try {
        const stored = await new CheckpointStore(root).get(id)
        return (await verifyCheckpoint(stored, {temporary: join(root, "tmp"), secrets: {}})).ok
      } catch (error) {
        expect(error).toMatchObject({code: expect.stringMatching(/^checkpoint_(invalid|newer|unknown)$/)})
        return false
      }
    }
    const manifest = parseManifest(readFileSync(join(original, "manifest.json"), "utf8"), "the original")
    const folder = join(root, id)
    const accepted: string[] = []
    const kinds = Object.entries(changes)
    for (let round = 0; round < rounds; round++) {
      const [kind, change] = kinds[round % kinds.length] ?? ["", () => {}]
      cpSync(original, folder, {recursive: true})
      change(folder, manifest, new Chance(seed + round))
      if (await accepts()) accepted.push(`${round}: ${kind}`)
      for (const path of [folder, `${folder}-moved`]) rmSync(path, {recursive: true, force: true})
    }
    expect(accepted).toEqual([])
    cpSync(original, folder, {recursive: true})
    expect(await accepts()).toBe(true)
  },
  120_000 + rounds * 500,
)

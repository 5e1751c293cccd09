import {createHash} from "node:crypto"
import {mkdtempSync, rmSync} from "node:fs"
import {open, rename} from "node:fs/promises"
import {tmpdir} from "node:os"
import {join} from "node:path"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {type Figure, ratioOf} from "../measure/figure.ts"
import {type BenchHost, makeProject, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The size of each file, and the number of files per sample. */
const sizes = [
  {name: "16 KB", bytes: 16_384, count: 200},
  {name: "4 MB", bytes: 4_194_304, count: 10},
] as const

/** The number of files in progress at the same time. */
const flying = 10

/** Sends files with `plugin.send`, each with different bytes, to a platform that reads them completely. */
const sender = `import {definePlugin, h, isElement, Type} from "svc-runtime"

const Wanted = Type.Object({bytes: Type.Integer(), count: Type.Integer()})
const Read = Type.Object({read: Type.Integer()})

export default definePlugin({
  setup(plugin) {
    let number = 0
    let read = 0
    let taken = () => {}
    plugin.adapter("sink", {
      history: "none", features: ["files"],
      open: async (_, endpoint) => ({
        send: async ({id, content}) => {
          for (const node of content) {
            const file = isElement(node) ? await endpoint.file(node) : undefined
            if (file === undefined) continue
            for await (const chunk of file.stream()) read += chunk.length
          }
          taken()
          return {ids: [id]}
        },
      }),
    })
    plugin.route({
      method: "POST", path: "/files", scope: "full", summary: "Sends files until the platform has read all of them",
      body: Wanted, response: Read,
      handle: async (_, call) => {
        const {bytes, count} = call.body as {bytes: number, count: number}
        read = 0
        await new Promise<void>((resolve, reject) => {
          let begun = 0
          let ended = 0
          const next = () => {
            if (begun === count) return
            begun++
            const src = new Uint8Array(bytes).fill(begun % 256)
            new DataView(src.buffer).setUint32(0, ++number)
            plugin.send({endpoint: "sink", channel: "c" + (begun % ${flying})}, h("file", {src, title: "a.bin"})).catch(reject)
          }
          taken = () => {
            if (++ended === count) resolve()
            else next()
          }
          for (let n = 0; n < ${flying}; n++) next()
        })
        return call.json(Read, {read})
      },
    })
  },
})
`

type Size = (typeof sizes)[number]

interface Sample {
  /** Files per second. */
  readonly rate: number
  /** The Host's processor time per file, in milliseconds. */
  readonly cost: number
}

const sampleOf = async (host: BenchHost, {bytes, count}: Size): Promise<Sample> => {
  const [before, begun] = [cpuSeconds(host.pid), performance.now()]
  const answer = await host.fetch("/api/plugins/sender/files", {method: "POST", body: JSON.stringify({bytes, count})})
  const seconds = (performance.now() - begun) / 1000
  const {read} = (await answer.json()) as {read: number}
  if (read !== bytes * count) throw new Error(`the platform read ${read} of ${bytes * count} bytes`)
  return {rate: count / seconds, cost: ((cpuSeconds(host.pid) - before) * 1000) / count}
}

/** The minimum for a durable file named by its hash, one at a time, in files per second. */
const bareRate = async (folder: string, {bytes, count}: Size): Promise<number> => {
  const begun = performance.now()
  for (let n = 0; n < count; n++) {
    const body = new Uint8Array(bytes).fill(n % 256)
    const path = join(folder, createHash("sha256").update(body).digest("hex"))
    const file = await open(`${path}.partial`, "w")
    await file.writeFile(body)
    await file.sync()
    await file.close()
    await rename(`${path}.partial`, path)
  }
  return (count / (performance.now() - begun)) * 1000
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const made = makeProject("  sender: {}\n", {sender})
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-"))
  const host = await startHost(runtime, made)
  const figures: Figure[] = []
  try {
    for (const size of sizes) {
      // Warm-up for the compiler.
      await sampleOf(host, size)
      const costs: number[] = []
      const measured = await measurePairs(
        pairs,
        async () => {
          const {rate, cost} = await sampleOf(host, size)
          costs.push(cost)
          return rate
        },
        () => bareRate(folder, size),
      )
      figures.push(
        ratioOf(
          `files of ${size.name}, ${flying} in flight on ${runtime.name}`,
          measured,
          "each written, synchronised and renamed, one at a time",
          "files/s",
        ),
        {name: `  processor time of a file of ${size.name} on ${runtime.name}`, unit: "ms", value: spreadOf(costs)},
      )
    }
  } finally {
    rmSync(folder, {recursive: true, force: true})
  }
  await host.stop()
  made.remove()
  return figures
}

export const files: Row = {
  name: "files",
  summary: "files that plugin.send stores and sends, durable, until the platform has read them completely",
  measure: onEachRuntime(measureOn),
}

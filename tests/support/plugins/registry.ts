import {readFileSync} from "node:fs"
import {createServer} from "node:http"
import {join} from "node:path"
import {runProcess} from "../host/process.ts"
import {makeProject} from "../host/project.ts"
import {listen} from "../machine/listen.ts"

export interface Published {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

/** A stand-in for npm's registry, for this machine: these packages with this code; `isTorn` has no tarball. */
export const startRegistry = async (code: string, packages: readonly Published[]) => {
  const tarballs = new Map<string, Buffer>()
  for (const [index, manifest] of packages.entries()) {
    const source = makeProject({
      files: {
        "package/package.json": JSON.stringify({type: "module", exports: "./index.js", ...manifest}),
        "package/index.js": code,
      },
    })
    await runProcess(["tar", "czf", "package.tgz", "package"], {cwd: source.folder})
    if (manifest.isTorn !== true)
      tarballs.set(`/tarballs/${index}.tgz`, readFileSync(join(source.folder, "package.tgz")))
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "")
    const tarball = tarballs.get(path)
    if (tarball !== undefined) return void response.end(tarball)
    const origin = `http://${request.headers.host}`
    const found = packages.flatMap((manifest, index) =>
      path === `/${manifest.name}` ? [{...manifest, dist: {tarball: `${origin}/tarballs/${index}.tgz`}}] : [],
    )
    response.statusCode = found.length === 0 ? 404 : 200
    response.setHeader("content-type", "application/json")
    const versions = Object.fromEntries(found.map(manifest => [manifest.version, manifest]))
    response.end(JSON.stringify({name: path.slice(1), versions, "dist-tags": {latest: found.at(-1)?.version}}))
  })
  const port = await listen(server)
  return `http://127.0.0.1:${port}/`
}

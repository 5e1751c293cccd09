import {createHash} from "node:crypto"
import {existsSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {join, relative} from "node:path"
import {brotliCompressSync, constants} from "node:zlib"
import {type ConsoleFile, type ConsoleListing, serviceWorkerName} from "../../server/http/console/files.ts"
import {listingName} from "../../server/runtime/own-files.ts"
import {root} from "../root.ts"
import {packageOf} from "./licences.ts"
import {shortNames} from "./short-names.ts"
import {filesOf, hashFiles} from "./source-files.ts"

/**
 * Builds the console into `dist/console/`, compressed, with the list of the files that may be served. Does nothing if the
 * console is up to date, so that `bun run start` can call it every time.
 */
const web = join(root, "server/console/web")
const target = join(root, "dist/console")

/** The largest compressed size of the first page load, in bytes. */
const firstLoadLimit = 120 * 1024

/** Hashes the sources of the console: the application, its imports from elsewhere, this script and the package versions. */
const hashSources = (): string => {
  const scripts = ["console", "short-names", "source-files"].map(name => `scripts/build/${name}.ts`)
  const others = [...scripts, "bun.lockb"].map(file => join(root, file))
  return hashFiles(root, [...filesOf(web), ...filesOf(join(root, "shared")), ...others])
}

const builtFrom = (): string | undefined => {
  const listing = join(target, listingName)
  if (!existsSync(listing)) return undefined
  const {source}: ConsoleListing = JSON.parse(readFileSync(listing, "utf8"))
  return source
}

/** Bundles the application. Resolves to the files in the bundles, relative to the repository. */
const bundle = async (): Promise<readonly string[]> => {
  const [{build}, {svelte}] = await Promise.all([import("vite"), import("@sveltejs/vite-plugin-svelte")])
  const built = await build({
    root: web,
    configFile: false,
    logLevel: "warn",
    // Relative addresses, because the Host may serve the console below any path.
    base: "./",
    plugins: [svelte(), shortNames],
    build: {
      outDir: target,
      emptyOutDir: true,
      target: "es2023",
      // The content security policy forbids inline files.
      assetsInlineLimit: 0,
      modulePreload: {polyfill: false},
      reportCompressedSize: false,
      rolldownOptions: {checks: {pluginTimings: false}},
    },
    // Imports single components, because the library's index would compile all of them for the two in use.
    resolve: {
      alias: [{find: /^bits-ui\/(.*)$/, replacement: join(root, "node_modules/bits-ui/dist/bits/$1/index.js")}],
    },
  })
  if (!("output" in built)) throw new Error("vite did not end")
  return built.output.flatMap(part => (part.type === "chunk" ? part.moduleIds.map(id => relative(root, id)) : []))
}

/** Bundles the service worker last, because it contains the names of the files that it caches. */
const bundleServiceWorker = async (names: readonly string[]) => {
  const {build} = await import("esbuild")
  await build({
    entryPoints: [join(web, "service-worker.ts")],
    outfile: join(target, serviceWorkerName),
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2023",
    define: {
      consoleFiles: JSON.stringify(names),
      consoleVersion: JSON.stringify(
        hashFiles(
          target,
          names.map(name => join(target, name)),
        ),
      ),
    },
  })
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
}

interface Built {
  readonly file: ConsoleFile
  readonly smallest: number
}

/** Writes a file's compressed form, the only one that is kept, and returns its entry in the list of served files. */
const finish = (path: string): Built => {
  const bytes = readFileSync(path)
  const type = types[path.slice(path.lastIndexOf(".") + 1)]
  if (type === undefined) throw new Error(`${path}: no content type is known for it`)
  const br = brotliCompressSync(bytes, {
    params: {[constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_QUALITY]: 11},
  })
  writeFileSync(`${path}.br`, br)
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 22)
  return {file: {type, hash}, smallest: br.length}
}

/** Returns the size of the first page load: the page and the files that it names. */
const firstLoadOf = (built: ReadonlyMap<string, Built>): number => {
  const page = readFileSync(join(target, "index.html"), "utf8")
  const named = [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(match => match[1] ?? "")
  return ["index.html", ...named].reduce((sum, name) => sum + (built.get(name)?.smallest ?? 0), 0)
}

const source = hashSources()
if (builtFrom() !== source) {
  const began = performance.now()
  if (process.argv.includes("--announce")) process.stdout.write("building the console (only this time)\n")
  const inputs = await bundle()
  // The page's key is the address of its folder.
  const names = filesOf(target).map(path => relative(target, path))
  await bundleServiceWorker(names.filter(name => name !== "index.html"))
  const built = new Map(filesOf(target).map(path => [relative(target, path), finish(path)] as const))
  const firstLoad = firstLoadOf(built)
  if (firstLoad > firstLoadLimit) {
    rmSync(target, {recursive: true, force: true})
    throw new Error(`the console's first load is ${firstLoad} bytes, over the limit of ${firstLoadLimit}`)
  }
  for (const name of built.keys()) rmSync(join(target, name))
  const files = Object.fromEntries([...built].map(([name, {file}]) => [name, file]))
  const packages = [...new Set(inputs.map(packageOf).filter(folder => folder !== undefined))].sort()
  const listing: ConsoleListing = {source, firstLoad, packages, files}
  writeFileSync(join(target, listingName), `${JSON.stringify(listing, undefined, 1)}\n`)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  const kilobytes = (firstLoad / 1024).toFixed(1)
  process.stdout.write(`console: ${built.size} files, first load ${kilobytes} KB compressed (${seconds} s)\n`)
}

import {readFileSync} from "node:fs"
import {join} from "node:path"
import {gunzipSync} from "node:zlib"
import {unpackTar} from "modern-tar"
import {expect, test} from "vitest"
import {packSvc} from "../../../server/process/package-tarball.ts"
import {makeFolder, makeProject} from "../../support/host/project.ts"

test("an installed svc is packed whole, without the packages that it has inside", async () => {
  const own = {"package.json": "{}", "cli/launch.js": "1", "dist/bun/svc.js": "2"}
  const inside = Object.entries({...own, "node_modules/other/index.js": "3"})
  const files = Object.fromEntries(inside.map(([path, text]) => [`of/node_modules/svc-runtime/${path}`, text]))
  const packageRoot = makeProject({files}).path("of/node_modules/svc-runtime")
  const target = join(makeFolder(), "svc.tgz")
  await packSvc({packageRoot, toolchain: "node", report: () => {}}, target)
  const entries = await unpackTar(gunzipSync(readFileSync(target)))
  const texts = entries.map(({header, data}) => [header.name, new TextDecoder().decode(data)])
  expect(Object.fromEntries(texts)).toEqual(
    Object.fromEntries(Object.entries(own).map(([path, text]) => [`package/${path}`, text])),
  )
})

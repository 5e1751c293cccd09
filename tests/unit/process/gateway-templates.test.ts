import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {limits} from "../../../server/runtime/runtime.ts"
import {root} from "../../support/host/runtimes.ts"

const folder = join(root, "container/gateway")

const read = (file: string) => readFileSync(join(folder, file), "utf8")

const templates = {nginx: read("nginx.conf"), caddy: read("Caddyfile"), haproxy: read("haproxy.cfg")}

const find = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, value = ""]) => value)

test("there are three gateway templates", () => {
  expect(readdirSync(folder).sort()).toEqual(["Caddyfile", "haproxy.cfg", "nginx.conf"])
})

test("each has the Host's limits for bodies, headers and their time", () => {
  const mebibytes = limits.body / 1024 / 1024
  expect(find(templates.nginx, /client_max_body_size (\S+);/g)).toEqual([`${mebibytes}m`])
  expect(find(templates.caddy, /max_size (\S+)/g)).toEqual([`${mebibytes}MiB`])
  expect(find(templates.haproxy, /req\.body_size gt (\d+)/g)).toEqual([String(limits.body)])
  const kibibytes = limits.headers / 1024
  expect(find(templates.nginx, /large_client_header_buffers \d+ (\S+);/g)).toEqual([`${kibibytes}k`])
  expect(find(templates.caddy, /max_header_size (\S+)/g)).toEqual([`${kibibytes}KiB`])
  expect(Number(find(templates.haproxy, /tune\.bufsize (\d+)/g)[0])).toBeGreaterThan(limits.headers + 1024)
  const seconds = `${limits.headersTimeout / 1000}s`
  expect(find(templates.nginx, /client_header_timeout (\S+);/g)).toEqual([seconds])
  expect(find(templates.caddy, /read_header (\S+)/g)).toEqual([seconds])
  expect(find(templates.haproxy, /timeout http-request (\S+)/g)).toEqual([seconds])
})

test("no timeout for a stream or an answer is shorter than the Host's time for a request", () => {
  const nginx = find(templates.nginx, /(?:proxy_(?:read|send)|send)_timeout (\d+)s;/g)
  const haproxy = find(templates.haproxy, /timeout (?:client|server|tunnel) (\d+)s/g)
  expect({nginx: nginx.length, haproxy: haproxy.length}).toEqual({nginx: 3, haproxy: 3})
  for (const seconds of [...nginx, ...haproxy]) expect(Number(seconds) * 1000).toBeGreaterThan(limits.requestTimeout)
  expect(templates.caddy).not.toMatch(/\b(?:write|read_body|read_timeout|write_timeout|response_header_timeout)\b/)
})

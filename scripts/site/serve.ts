import {readFileSync} from "node:fs"
import {createServer} from "node:http"
import type {AddressInfo} from "node:net"
import {extname, join, normalize} from "node:path"

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
}

export interface Served {
  readonly url: string
  close(): void
}

/** Serves a built site on the loopback address. A `port` of 0 takes a free one. */
export const serveSite = (folder: string, base: string, port: number): Promise<Served> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const {pathname} = new URL(request.url ?? "/", "http://localhost")
      try {
        const path = normalize(decodeURIComponent(pathname.slice(base.length - 1))).replace(/\/$/, "/index.html")
        if (!pathname.startsWith(base)) throw new Error("outside of the site")
        const content = readFileSync(join(folder, path))
        response.writeHead(200, {"content-type": types[extname(path)] ?? "application/octet-stream"}).end(content)
      } catch {
        response.writeHead(404, {"content-type": "text/html"}).end(readFileSync(join(folder, "404.html")))
      }
    })
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const {port: taken} = server.address() as AddressInfo
      resolve({url: `http://127.0.0.1:${taken}${base}`, close: () => server.close()})
    })
  })

/** The yardstick on Bun: `Bun.serve` that answers every request with the same bytes. Arguments: port, answer as JSON. */
const [port, answer = "{}"] = process.argv.slice(2)
const {headers, body} = JSON.parse(answer)

Bun.serve({hostname: "127.0.0.1", port: Number(port), fetch: () => new Response(body, {headers})})

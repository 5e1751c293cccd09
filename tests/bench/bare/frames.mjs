/** What the yardsticks of the event stream send, and when. */

/** An event as the Host sends it, byte for byte but for what changes. */
export const frameOf = n =>
  `id: 3aa44cb96936-${n}\nevent: message.received\ndata: {"id":"3aa44cb96936-${n}","type":"message.received","at":"${new Date().toISOString()}","project":"bench-bot","runtimeId":"01a1fdaf-9ed6-75f6-8306-6b06d7bf17a4","generation":1,"endpoint":"ticker","data":{"sn":${n},"type":"internal"}}\n\n`

let n = 0

/** So many events, so many of them a second, by the clock: what a busy process was late with comes at once. */
export const tick = async ({count, rate}, send) => {
  const begun = performance.now()
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.floor(((performance.now() - begun) / 1000) * rate) + 1)
    for (; sent < due; sent++) send(++n)
    await new Promise(resolve => setTimeout(resolve, 1000 / rate))
  }
}

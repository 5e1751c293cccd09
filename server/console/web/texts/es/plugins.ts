import type {Part} from "../en/en.ts"
import {counted} from "./counted.ts"

const published: Readonly<Record<string, readonly [one: string, other: string]>> = {
  command: ["# comando", "# comandos"],
  job: ["# trabajo", "# trabajos"],
  handler: ["# controlador", "# controladores"],
  hears: ["# patrón escuchado", "# patrones escuchados"],
  middleware: ["# middleware", "# middlewares"],
  prompt: ["# pregunta", "# preguntas"],
  action: ["# acción", "# acciones"],
  route: ["# ruta", "# rutas"],
  page: ["# página", "# páginas"],
  timer: ["# temporizador", "# temporizadores"],
  tool: ["# herramienta", "# herramientas"],
  service: ["# servicio", "# servicios"],
}

export const plugins: Part<"plugins"> = {
  graph: "Plugins, sus slots y sus endpoints",
  none: "La generación en marcha no tiene plugins.",
  slot: "slot",
  noEndpoint: "ningún endpoint",
  moreEndpoints: count => counted(count, {one: "# endpoint más", other: "# endpoints más"}),
  count: (kind, count) => {
    const [one, other] = published[kind] ?? [`# ${kind}`, `# ${kind}`]
    return counted(count, {one, other})
  },
  pinned: "La configuración en marcha está fijada: el Host ignora el archivo hasta que cambie. Ver",
  since: "Desde",
  origin: "Origen del código",
  origins: {
    source: "el código fuente del proyecto",
    built: "la compilación del proyecto",
    "built-in": "parte de svc",
    package: "un paquete instalado",
  },
  from: "Código",
  owner: "Instancia de plugin",
  key: "Clave en la configuración",
  place: "Ubicación",
  remedies: {
    failed: "Lanzó un error fuera de sus controladores, y svc no pudo reiniciarlo. Corregirlo y volver a probar.",
    quarantined:
      "Lanzó un error fuera de sus controladores por tercera vez en diez minutos, y svc lo excluye hasta la próxima generación. Corregirlo y volver a probar.",
  },
  disabledBy: (key, file) => `${key} es false en ${file}: el Host no carga este plugin.`,
  disable: "Desactivar",
  disableOf: name => `Desactivar ${name}`,
  disableSays: [
    "Sus comandos, controladores, trabajos, rutas y endpoints quedan desactivados, también tras un reinicio, hasta que se active de nuevo.",
    "Si la disponibilidad exige uno de sus endpoints, el Host deja de estar listo.",
    "Esto fija la configuración en marcha. svc.config.yml queda como está; su próximo cambio termina la fijación.",
  ],
  enable: "Activar",
  enableOf: name => `Activar ${name}`,
  enableSays: [
    "El Host lo carga y publica lo que ofrece, como una nueva generación.",
    "Si el archivo lo desactiva, el Host fija la configuración en marcha. svc.config.yml queda como está.",
  ],
  again: "Volver a probar",
  againOf: name => `Volver a probar ${name}`,
  againSays: "El Host carga la configuración tal como está ahora y reinicia cada plugin que falló.",
  kinds: {
    command: "Comandos",
    job: "Trabajos",
    handler: "Controladores de eventos",
    hears: "Patrones escuchados",
    middleware: "Middleware",
    prompt: "Preguntas",
    action: "Acciones",
    route: "Rutas",
    page: "Páginas",
    timer: "Temporizadores",
    tool: "Herramientas para agentes",
  },
  nameless: position => `sin nombre, número ${position}`,
  publishesNothing: "Ahora mismo no publica nada.",
  settings: "Ajustes",
  fromFile: key =>
    `Vienen del archivo de configuración. Para cambiarlos, editar ${key} en svc.config.yml y después recargar.`,
  noSettings: "Ninguno, o desconocidos hasta que se cargue el plugin.",
  noSetting: "Su esquema no tiene ajustes.",
  required: " (obligatorio)",
  byDefault: "por defecto",
  unset: "sin definir",
  secret: "definido, nunca se muestra",
  lately: "Últimos estados",
  handlers: {
    title: "Sus controladores",
    hour: "Última hora",
    day: "Últimas 24 horas",
    failed: (failed, ended) => `fallaron ${failed} de ${ended} intentos`,
    slowest: "Controlador más lento desde que se inició el Host",
    none: "aún no se ejecutó ninguno",
    slow: (handler, mean, longest) => `${handler}: ${ms(mean)} de media, ${ms(longest)} como máximo`,
    sparkline: count => `Intentos fallidos por minuto en la última hora: ${count}`,
    toFailed: "Mostrar sus fallos en la entrada",
    toEvents: "Sus eventos",
  },
}

const tenths = new Intl.NumberFormat("es", {minimumFractionDigits: 1, maximumFractionDigits: 1})
const ms = (length: number) => `${tenths.format(length)} ms`

/**
 * Returns a port with some of its methods replaced. The others run on the port itself, because it may be an instance of
 * a class.
 */
export function replaceMethods<Port extends object>(port: Port, methods: Partial<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      const replaced: unknown = methods[name as keyof Port]
      const own: unknown = replaced ?? Reflect.get(target, name)
      return replaced === undefined && typeof own === 'function' ? own.bind(target) : own
    },
  })
}

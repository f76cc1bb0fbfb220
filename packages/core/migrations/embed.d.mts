export function embedMigrations(): string

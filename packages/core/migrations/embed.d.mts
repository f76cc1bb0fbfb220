export function embedMigrations(): string
export function embedPostgresMigrations(): string

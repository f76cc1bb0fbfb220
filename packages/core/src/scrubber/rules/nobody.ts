/** Values that stand where a name goes and name nobody, beyond `commonWords`, which is asked too. */
export const nobody: ReadonlySet<string> = new Set(
  `integer boolean float varchar uuid unknown undefined me us everyone anyone someone somebody nobody internal external
shared personal individual enterprise business premium standard trial administrator viewer editor username password id
roles permissions anonymous unassigned unowned automatic services localhost nodes workers primary replica secondary
frontend fullstack platform infra infrastructure engineering engineers developers payments billing growth security
operations sre design marketing sales finance product products research analytics department organization organisation
company teams groups wheel elasticsearch kibana grafana prometheus rabbitmq cassandra vault consul nomad monitoring
deployer deployment releases readonly readwrite ro rw dummy placeholder test1 user1 user2 foobar acme contoso fabrikam
northwind umbrella globex initech required optional enabled disabled pending inactive closed unset current creator
assignee reporter reviewer approver manager customer customers partner partners contact contacts person people human
humans bots agents assistant functions models inherit initial inherited www-data sshd messagebus systemd svn https ftp
smtp postfix dovecot ec2-user centos nonroot rootless sysadmin superuser webmaster hostmaster postmaster noreply
no-reply hr accounting cli sdk gui ui ux db csv css markdown utf8 ascii base64 sha256 md5 oauth oidc saml ldap cluster
namespace tenant projects repository rebase unauthorized authenticated authorized authorization authentication invited
missing multiple various several unspecified redacted response params options settings payload currentuser props items
oauth2 apikey operate given family middle inc llc ltd gmbh corp co submit savings checking reporting signin signup
signout cancel register welcome continue forgot please thinking shopping shipping minikube orbstack colima microk8s
rancher`.split(/\s+/),
)

